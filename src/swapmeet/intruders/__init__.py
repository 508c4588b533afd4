"""How somebody would break a release: what intruders know, and whom and what they find by it.

`evidence` says how likely a released row is to stand in a person's place, by what a method states
about itself; `links` find people by it, `guesses` read what was not known about them, and
`presence` asks who is in the file at all. Measures of risk report the worst of them.
"""
