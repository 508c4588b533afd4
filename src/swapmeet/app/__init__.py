"""The app: protect a file in the browser, on one's own machine.

It shows and asks; all work is done by the command line in processes of their own. A `Case` is a
file that somebody is making ready for publication, a `Run` one piece of work on it, and both live
as small files in the private folder of the `Workspace`.
"""
