"""For all tests: the same examples in every run, so that a green run stays green."""

import os

from hypothesis import settings

settings.register_profile("steady", derandomize=True, deadline=None)
settings.register_profile("search", deadline=None)  # HYPOTHESIS_PROFILE=search looks for new ones
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "steady"))
