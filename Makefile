# make run    installs what is missing and opens the window on a sample model
# make test   installs what is missing and passes the tests
.PHONY: run test check pytest screenshots gallery bench clean

SAMPLE ?= sample_models/mobile_vision_encoder/mobile_vision_encoder.onnx
PYTHON := .venv/bin/python

run:
	@scripts/setup.sh run
	@.venv/bin/mixbit $(SAMPLE)

test: check pytest

check:
	@scripts/setup.sh test
	.venv/bin/ruff check .
	.venv/bin/ruff format --check .
	.venv/bin/mypy
	.venv/bin/lint-imports

pytest:
	@scripts/setup.sh test
	QT_QPA_PLATFORM=offscreen .venv/bin/python -m pytest -q -n auto --maxprocesses 4 --dist loadfile

screenshots:
	@scripts/setup.sh test
	QT_QPA_PLATFORM=offscreen $(PYTHON) scripts/screenshots.py

gallery:
	@scripts/setup.sh test
	QT_QPA_PLATFORM=offscreen $(PYTHON) scripts/gallery.py

bench:
	@scripts/setup.sh test
	for script in benchmarks/bench_*.py; do QT_QPA_PLATFORM=offscreen $(PYTHON) $$script || exit 1; done

clean:
	rm -rf .venv .mypy_cache .ruff_cache .pytest_cache build dist
