"""Do odd tables, damaged files and garbled texts give a result that holds, or one message?

.venv/bin/python benchmarks/fuzz.py --cases 1000000
.venv/bin/python benchmarks/fuzz.py mask --case 123
"""

from __future__ import annotations

import sys

from fuzzing.command import main

sys.exit(main())
