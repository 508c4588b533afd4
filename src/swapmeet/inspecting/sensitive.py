"""Columns that hold what people keep to themselves: proposed as sensitive, by name and content.

The words stand below, so that everybody can see what is looked for. A star stands for any letters:
`*einkommen` is a word that ends so, `income*` one that begins so. Origin and sex are not among
them: others can see these, so that they stay keys.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING

from swapmeet.base.sentences import join_names
from swapmeet.tables.arrow import CellType
from swapmeet.tables.identifiers import split_words
from swapmeet.tables.role import Role
from swapmeet.ties.finding import Finding, write_option

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from swapmeet.inspecting.columns import Columns

LOOKED_AT = 200
"""So many distinct texts or labels of a column tell what all are about."""
TELLING = 0.3
"""A column is about a topic if this share of its texts has a word of it, and two of them."""
LONGEST = 12
"""A label of more words is a text: words in it are not what the column is about."""
_LETTERS = re.compile(r"[A-Za-z]")


@dataclass(frozen=True)
class Topic:
    """A topic that people keep to themselves, and the words that reveal it in names and values."""

    title: str
    names: str
    values: str = ""
    pattern: str = ""
    """A form that most values of such a column have."""

    def is_named(self, text: str) -> bool:
        """Return whether a name, or what a file calls a column, has a word of the topic."""
        words = split_words(text)
        pairs = (first + second for first, second in pairwise(words))
        return len(words) <= LONGEST and any(map(self._named.fullmatch, [*words, *pairs]))

    def fills(self, texts: Collection[str]) -> bool:
        """Return whether texts of a column, each once, are about the topic."""
        telling = sum(any(map(self._valued.fullmatch, split_words(text))) for text in texts)
        formed = sum(map(bool, map(self._formed.fullmatch, texts))) if self.pattern else 0
        return telling >= max(2, TELLING * len(texts)) or formed >= max(3, 0.8 * len(texts))

    @cached_property
    def _named(self) -> re.Pattern[str]:
        return _compile(self.names)

    @cached_property
    def _valued(self) -> re.Pattern[str]:
        return _compile(self.values)

    @cached_property
    def _formed(self) -> re.Pattern[str]:
        return re.compile(self.pattern)


def _compile(words: str) -> re.Pattern[str]:
    """A pattern for any of the words, where a star stands for letters."""
    return re.compile("|".join(word.replace("*", "[a-z]*") for word in words.split()) or r"\b\B")


TOPICS = (
    Topic(
        "health",
        "health* illness* disease* diagnos* diag icd symptom* medication* medicine* drug drugs "
        "disab* impairment* therap* treatment* hospital* surger* cancer* tumor* tumour* diabet* "
        "hiv aids depress* anxiety suicid* psychiatr* pregnan* abortion* miscarriage* smok* "
        "tobacco alcohol* drinker* addict* cholesterol blood* bloodpressure genetic* chronic* "
        "gesund* krank* *krankheit *krankheiten *behinder* schwanger* medikament* *therapie "
        "behandlung* sucht *sucht rauch* *raucher krebs* befund* pflegegrad pflegestufe impfung* "
        "sante maladie* diagnostic* medicament* traitement* grossesse alcool* tabac* malade* "
        "salud enfermedad* discapacidad* medicamento* tratamiento* embaraz* tabaco* fumador* "
        "salute malatt* disabil* gravidanza saude doenca* gezond* ziekte* handicap*",
        "diabet* cancer* carcinom* tumor* tumour* asthma hypertens* depress* schizo* hiv aids "
        "stroke infarct* infarkt* pneumon* hepatit* influenza dementia demenz* copd epilep* "
        "krebs* schlaganfall *krankheit maladie* enfermedad* avc *disease",
        r"[A-TV-Z]\d\d\.\d{1,2}",
    ),
    Topic(
        "money",
        "income* *income inc hinc hhinc inctot incwage salar* wage wages pay earning* wealth asset "
        "assets debt debts loan loans credit* saving savings benefit benefits welfare pension* "
        "tax taxes rent rents mortgage* expenditure* insolven* bankrupt* networth profit profits "
        "turnover revenue* *einkommen* lohn *lohn loehne gehalt *gehalt gehaelt* *verdienst "
        "*vermogen *vermoegen schulden *schulden kredit* *kredit rente renten altersrente "
        "sozialhilfe steuer steuern *steuer miete mieten umsatz* gewinn revenu revenus salaire* "
        "patrimoine dette dettes impot impots allocation* loyer* ingreso ingresos salario* sueldo* "
        "renta rentas deuda deudas patrimonio impuesto impuestos alquiler reddito stipendio "
        "inkomen rendimento",
    ),
    Topic(
        "religion",
        "religio* church* faith denomination* konfession* kirche* glaube* culte croyance* eglise* "
        "iglesia* creencia* geloof",
        "catholic* protestant* muslim* moslem* islam* jew jewish judaism hindu* buddhis* orthodox "
        "christian* christlich* mormon* sikh* atheis* agnosti* katholi* evangelisch* reformiert* "
        "konfessionslos* muslimisch* judisch* juedisch* catholique* musulman* juif juive "
        "bouddhis* catolic* judio* cristian* budist*",
    ),
    Topic(
        "opinions and votes",
        "opinion* attitude* politic* polit politik* politisch* politiqu* ideolog* vote votes voted "
        "voting votefor party partyid partisan* leftright lrscale selflr trust trusts satisf* "
        "satisfaction* lifesat happy happin* wellbeing union unions unionmember* wahl wahlen "
        "*wahlabsicht partei parteien *partei meinung* einstellung* vertrauen* zufrieden* "
        "*zufriedenheit gewerkschaft* gluck glueck parti partis confiance* syndicat* voto votos "
        "votacion partido* confianza* sindicato* felicidad",
        "agree disagree zustimm* stimme ablehn* accord desaccord acuerdo desacuerdo republican* "
        "democrat* conservative* labour liberal* cdu spd fdp afd svp satisfied dissatisfied "
        "zufrieden unzufrieden satisfait* insatisfait* satisfecho* insatisfecho*",
    ),
    Topic(
        "offences",
        "crime* crimin* offence* offense* offender* arrest* convict* conviction* prison* jail* "
        "sentenc* felon* fraud victim* violen* straftat* delikt* *delikt verurteil* vorstrafe* "
        "haft haftstrafe* gefangnis* gefaengnis* gewalt* opfer betrug* delit delits infraction* "
        "condamn* peine delito* condena* prision* victima* violencia* reato reati",
        "theft burglary robbery assault homicide fraud larceny diebstahl raub betrug "
        "koerperverletzung korperverletzung cambriolage robo hurto homicidio",
    ),
    Topic(
        "sex life",
        "*sexual* *sexuel* sexorientation orientation affair affairs contracepti* "
        "verhutung* verhuetung* orientacion gay lesbian",
        "heterosexual* homosexual* bisexual* heterosexuell* homosexuell* bisexuell* heterosexuel* "
        "homosexuel* bisexuel* lesbian",
    ),
)


def find_sensitive(columns: Columns, taken: Collection[str]) -> Iterator[Finding]:
    """Keys that hold what people keep to themselves, by topic; not those that are `taken`."""
    names = [name for name in columns.names if _can_be_sensitive(columns, name, taken)]
    evidence = {name: _find_topic(columns, name) for name in names}
    for topic in TOPICS:
        known = {name: by for name, (about, by) in evidence.items() if about is topic}
        if known:
            by = join_names(dict.fromkeys(known.values()))
            yield Finding(
                about=f"about {topic.title}",
                columns=tuple(known),
                reason=f"judging by {by}. Intruders want to learn it and seldom know it; make it "
                "a key where others may know it",
                rows=columns.rows,
                options=write_option("--sensitive", known),
            )


def _can_be_sensitive(columns: Columns, name: str, taken: Collection[str]) -> bool:
    column = columns.schema[name]
    is_plain = column.role is Role.KEY and not column.worry and name not in taken
    return is_plain and columns.distinct(name) > 1


def _find_topic(columns: Columns, name: str) -> tuple[Topic | None, str]:
    """Find the topic of a column, and what reveals it: its name, its label or its values."""
    for words, by in ((name, "name"), (columns.titles.get(name, ""), "label")):
        for topic in TOPICS:
            if topic.is_named(words):
                return topic, by
    texts = _list_texts(columns, name)
    return next((topic for topic in TOPICS if topic.fills(texts)), None), "values"


def _list_texts(columns: Columns, name: str) -> list[str]:
    """Texts that the values of a column are, or that the file calls them."""
    texts = [*map(str, columns.labels.get(name, {}).values())]
    if not texts and columns.table.family(name) in {CellType.TEXT, CellType.CATEGORY}:
        levels = columns.table.codes(name).dictionary
        texts = [str(text) for text in levels[:LOOKED_AT].to_pylist() if text is not None]
    return [text.strip() for text in texts[:LOOKED_AT] if _LETTERS.search(text)]
