"""K-L-θ (Boger 2020), again."""

from __future__ import annotations

from kit.study import Study
from parts.kl_theta.clusters import make_clusters
from parts.kl_theta.diversity import make_diversity
from parts.kl_theta.privacy import make_privacy
from parts.kl_theta.queries import make_figure_8, make_selectivity
from parts.kl_theta.times import make_times

STUDY = Study(
    name="kl_theta",
    title="K-L-θ again: sensitive values permuted inside diverse clusters",
    paper="Sam Boger: L-diversity for data analysis: data swapping with customized clustering, "
    "Brown University, 2020.",
    lead="Rows with similar keys form clusters in which sensitive values differ, and are permuted. "
    "The paper judges a release by the answers to random queries.",
    parts={
        "clusters": make_clusters,
        "figure-8": make_figure_8,
        "selectivity": make_selectivity,
        "times": make_times,
        "privacy": make_privacy,
        "diversity": make_diversity,
    },
)

if __name__ == "__main__":
    STUDY.main()
