"""Markers that exist whatever the benchmark, and names that no sample may take."""

STANDARD_MARKERS = {
    "deductive": "samples of deductive reasoning (InfiMM-Eval)",
    "abductive": "samples of abductive reasoning (InfiMM-Eval)",
    "analogical": "samples of analogical reasoning (InfiMM-Eval)",
    "moderate": "samples of moderate complexity (InfiMM-Eval)",
    "high": "samples of high complexity (InfiMM-Eval)",
    "rec": "samples that need recognition (MM-Vet)",
    "ocr": "samples that need reading of text (MM-Vet)",
    "know": "samples that need knowledge (MM-Vet)",
    "gen": "samples that need language generation (MM-Vet)",
    "spat": "samples that need spatial awareness (MM-Vet)",
    "math": "samples that need arithmetic (MM-Vet)",
    "multi_image": "samples with several images",
    "counter_intuitive": "samples whose answer goes against intuition (InfiMM-Eval)",
}
"""Markers that exist whatever the benchmark."""

RESERVED_MARKERS = frozenset(
    [
        "mmreason",
        "skip",
        "skipif",
        "xfail",
        "parametrize",
        "usefixtures",
        "filterwarnings",
        "tryfirst",
        "trylast",
        "hookwrapper",
        "optionalhook",
        "no_cover",
        "xdist_group",
        "flaky",
        "timeout",
        "asyncio",
        "anyio",
    ]
)
"""Markers that would change how an item runs."""
