"""Plans and questions: a job, and what is asked of its release, as data."""
