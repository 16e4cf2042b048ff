"""How a local model decodes: parameters by either name, random choices that are one's own."""

from __future__ import annotations

from typing import Any

import pytest

pytest.importorskip("torch", reason="local models need torch")
pytest.importorskip("transformers", reason="local models need transformers")

import torch
from transformers import GenerationConfig

from pytest_mmreason.errors import UsageError
from pytest_mmreason.models.base import Request
from pytest_mmreason.models.decoding import (
    MAX_NEW_TOKENS,
    Decoding,
    check_parameters,
    cut,
    cut_text,
    decoding_for,
    known_parameters,
    new_tokens,
    samples,
    sanitise,
)
from pytest_mmreason.prompting import Prompt


class Tokenizer:
    eos_token_id = 7
    pad_token_id = 0


def decoding(
    *requests: Request, base: GenerationConfig | None = None, room: int | None = None, **params: Any
) -> Decoding:
    asked = list(requests) or [Request(Prompt.of("Why?"), params=params, sample="s1")]
    return decoding_for(
        asked,
        base or GenerationConfig(eos_token_id=2),
        Tokenizer(),
        room=room,
        seed=0,
        device="cpu",
    )


def test_greedy_is_the_default_whatever_the_checkpoint_says() -> None:
    base = GenerationConfig(do_sample=True, temperature=0.6, top_p=0.9, eos_token_id=2)
    found = decoding(base=base)
    assert found.config.do_sample is False
    assert found.processors is None
    assert (found.config.temperature, found.config.top_p) == (None, None)
    assert (base.do_sample, base.temperature) == (True, 0.6)


def test_answers_have_512_tokens_unless_somebody_says_otherwise() -> None:
    assert decoding().limit == MAX_NEW_TOKENS == 512
    assert decoding(base=GenerationConfig(max_new_tokens=9, max_length=99)).limit == 9
    assert decoding(base=GenerationConfig(max_new_tokens=9), max_tokens=30).limit == 30
    assert decoding(max_new_tokens=30, room=20).limit == 20
    assert decoding(base=GenerationConfig(max_length=99)).config.max_length is None


def test_tokens_that_end_an_answer_are_the_checkpoints_and_the_tokenizers() -> None:
    assert decoding().ends == {2, 7}
    assert decoding(base=GenerationConfig(eos_token_id=[3, 4])).ends == {3, 4, 7}
    assert decoding(base=GenerationConfig()).config.eos_token_id == [7]


def test_parameters_go_by_openais_names_too() -> None:
    found = decoding(max_completion_tokens=5, stop="###", num_beams=3, repetition_penalty=1.2)
    assert (found.limit, found.stop_strings) == (5, ("###",))
    assert (found.config.num_beams, found.config.repetition_penalty) == (3, 1.2)


@pytest.mark.parametrize(
    ("params", "expected"),
    [
        ({}, False),
        ({"temperature": 0}, False),
        ({"temperature": 0.7}, True),
        ({"temperature": 0, "top_p": 0.9}, False),
        ({"top_p": 0.9}, True),
        ({"top_k": 5}, True),
        ({"do_sample": False, "temperature": 1.0}, False),
        ({"do_sample": True}, True),
        ({"num_beams": 4, "max_tokens": 3, "seed": 1}, False),
    ],
)
def test_random_choices_are_made_where_they_are_asked_for(
    params: dict[str, Any], expected: bool
) -> None:
    assert samples(params) is expected
    found = decoding(**params)
    assert bool(found.processors) is expected
    assert found.config.do_sample is False


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"temprature": 1}, "--mm-param temprature: no generation parameter of hf:x. Did you mean 'temperature'"),
        ({"presence_penalty": 1}, "--mm-param presence_penalty: no generation parameter of hf:x"),
        ({"num_return_sequences": 2}, "--mm-param num_return_sequences"),
        ({"max_tokens": 0}, "--mm-param max_new_tokens=0: a whole number of at least 1 is needed"),
        ({"max_tokens": "many"}, "--mm-param max_new_tokens=many: a whole number"),
        ({"temperature": -1}, "--mm-param temperature=-1: a number of at least 0 is needed"),
        ({"temperature": "hot"}, "--mm-param temperature=hot: a number"),
        ({"top_k": 0.5}, "--mm-param top_k=0.5: a whole number"),
        ({"early_stopping": 3}, "--mm-param: hf:x refuses them"),
        ({"repetition_penalty": 0}, "--mm-param repetition_penalty=0.0: `penalty` has to be a strictly positive float"),
        ({"repetition_penalty": "x"}, "--mm-param repetition_penalty=x: "),
        ({"encoder_repetition_penalty": -1.0}, "--mm-param encoder_repetition_penalty=-1.0: "),
        ({"min_p": 5}, "--mm-param min_p=5: a number from 0 to 1 is needed"),
        ({"top_p": 1.5}, "--mm-param top_p=1.5: a number from 0 to 1 is needed"),
        ({"typical_p": -1}, "--mm-param typical_p=-1: a number from 0 to 1"),
        ({"epsilon_cutoff": 1}, "--mm-param: hf:x refuses them: `epsilon_cutoff` has to be"),
        ({"top_h": 2}, "--mm-param: hf:x refuses them: `top_h` must be in the range"),
        ({"temperature": float("nan")}, "--mm-param temperature=nan: a number"),
        ({"do_sample": "yes"}, "--mm-param do_sample=yes: true or false is needed"),
        ({"stop": []}, "--mm-param stop=[]: a string or a list of strings is needed"),
        ({"stop": ""}, "--mm-param stop=['']: a string or a list of strings"),
        ({"stop": 5}, "--mm-param stop=5: a string or a list of strings"),
        ({"min_new_tokens": "a"}, "--mm-param min_new_tokens=a: a whole number of at least 0"),
        ({"no_repeat_ngram_size": -1}, "--mm-param no_repeat_ngram_size=-1: a whole number"),
        ({"length_penalty": "x", "num_beams": 2}, "--mm-param length_penalty=x: a number is needed"),
        ({"bad_words_ids": 5}, "--mm-param bad_words_ids=5: "),
        ({"sequence_bias": {}}, "--mm-param sequence_bias={}: "),
        ({"suppress_tokens": 5}, "--mm-param suppress_tokens=5: "),
        ({"exponential_decay_length_penalty": [5]}, "--mm-param exponential_decay_length_penalty=[5]: "),
        ({"dola_layers": "low"}, "--mm-param dola_layers: no generation parameter of hf:x"),
        ({"penalty_alpha": 0.6, "top_k": 4}, "--mm-param penalty_alpha: no generation parameter"),
        ({"force_words_ids": [[5]]}, "--mm-param force_words_ids: no generation parameter"),
        ({"num_beam_groups": 2, "num_beams": 2}, "--mm-param num_beam_groups: no generation parameter"),
        ({"token_healing": True}, "--mm-param token_healing: no generation parameter"),
        ({"num_beams": 3, "temperature": 0.7}, "--mm-param num_beams=3 and temperature=0.7: beams that are drawn"),
        ({"num_beams": 3, "top_k": 5}, "--mm-param num_beams=3 and top_k=5: beams that are drawn"),
        ({"num_beams": 2, "do_sample": True}, "--mm-param num_beams=2 and do_sample=True: beams"),
    ],
)  # fmt: skip
def test_bad_parameter_is_named(params: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError) as caught:
        check_parameters(params, "hf:x")
    assert message in str(caught.value)


def test_good_parameters_pass() -> None:
    check_parameters({}, "x")
    check_parameters({"temperature": 0, "top_p": 0.0, "max_tokens": 256, "seed": 3}, "x")
    check_parameters({"num_beams": 3, "length_penalty": -1, "stop": ["a", "b"]}, "x")
    check_parameters({"num_beams": 3, "temperature": 0}, "x")
    check_parameters({"num_beams": 1, "temperature": 0.7, "do_sample": True}, "x")
    check_parameters({"repetition_penalty": 2, "no_repeat_ngram_size": 0}, "x")
    check_parameters({"temperature": 1, "top_k": 0, "top_p": 1, "min_p": 0, "eta_cutoff": 0}, "x")
    check_parameters({"suppress_tokens": [1, 2], "bad_words_ids": [[5]], "stop": None}, "x")


def test_whole_penalty_is_as_good_as_a_fraction() -> None:
    penalty = decoding(repetition_penalty=2).config.repetition_penalty
    assert (penalty, type(penalty)) == (2.0, float)


def test_sampling_has_no_beams_even_where_the_checkpoint_has() -> None:
    base = GenerationConfig(num_beams=4)
    found = decoding(base=base, temperature=0.7)
    assert (found.config.num_beams, bool(found.processors)) == (1, True)
    found = decoding(base=base)
    assert (found.config.num_beams, bool(found.processors)) == (4, False)


@pytest.mark.skipif("top_h" not in known_parameters(), reason="this transformers has none")
def test_top_h_narrows_what_is_drawn() -> None:
    scores = torch.log(torch.tensor([[0.6, 0.25, 0.1, 0.05]]))
    drawn = {}
    for top_h in (None, 0.3):
        found = decoding(temperature=1.0, top_h=top_h)
        drawn[top_h] = {int(found.processors(None, scores).argmax()) for _ in range(200)}
    assert drawn == {None: {0, 1, 2, 3}, 0.3: {0}}


def test_stop_string_of_a_checkpoint_may_be_one_alone() -> None:
    assert decoding(base=GenerationConfig(stop_strings="###")).stop_strings == ("###",)
    assert decoding(base=GenerationConfig(stop_strings=["a", "b"])).stop_strings == ("a", "b")
    found = decoding(base=GenerationConfig(stop_strings="###"), stop="?")
    assert (found.stop_strings, found.config.stop_strings) == (("?",), ["?"])


def test_settings_with_which_no_answer_could_be_made_are_taken_out() -> None:
    config = GenerationConfig(
        return_dict_in_generate=True,
        output_scores=True,
        output_hidden_states=True,
        num_return_sequences=2,
        num_beams=2,
        max_time=0.1,
        penalty_alpha=0.6,
        prompt_lookup_num_tokens=3,
        stop_strings=[],
        top_k=4,
        repetition_penalty=1.2,
    )
    sanitise(config)
    left = config.to_diff_dict()
    left.pop("transformers_version", None)
    assert left == {"num_beams": 2, "top_k": 4, "repetition_penalty": 1.2}


def asked(sample: str, **more: Any) -> Request:
    return Request(Prompt.of("Why?"), params={"temperature": 1.0}, sample=sample, **more)


def draws(*requests: Request, seed: int = 0) -> list[list[int]]:
    """The tokens that each request would draw from an even distribution, step by step."""
    found = decoding_for(
        requests, GenerationConfig(), Tokenizer(), room=None, seed=seed, device="cpu"
    )
    steps = []
    for _ in range(8):
        scores = found.processors(None, torch.zeros(len(requests), 50))
        steps.append(scores.argmax(-1).tolist())
    return [list(row) for row in zip(*steps, strict=True)]


def test_what_is_drawn_for_a_sample_does_not_depend_on_its_company() -> None:
    alone = draws(asked("s2"))[0]
    assert draws(asked("s1"), asked("s2"), asked("s3"))[1] == alone
    assert draws(asked("s2"))[0] == alone


def test_samples_repeats_and_seeds_are_drawn_for_apart() -> None:
    rows = [
        draws(asked("s1"))[0],
        draws(asked("s2"))[0],
        draws(asked("s1", repeat=1))[0],
        draws(asked("s1"), seed=1)[0],
    ]
    assert len({tuple(row) for row in rows}) == 4


def test_draws_follow_the_distribution() -> None:
    found = decoding(temperature=1.0)
    scores = torch.log(torch.tensor([[0.7, 0.2, 0.1]]))
    counts = torch.zeros(3)
    for _ in range(3000):
        counts[found.processors(None, scores).argmax()] += 1
    assert torch.allclose(counts / 3000, torch.tensor([0.7, 0.2, 0.1]), atol=0.04)


def test_prompt_is_taken_off_what_was_generated() -> None:
    prompt = torch.tensor([[0, 5, 6], [4, 5, 6]])
    repeated = torch.tensor([[0, 5, 6, 8, 2], [4, 5, 6, 9, 9]])
    assert new_tokens(repeated, prompt, is_encoder_decoder=False) == [[8, 2], [9, 9]]
    bare = torch.tensor([[8, 2, 0, 0], [9, 9, 9, 9]])
    assert new_tokens(bare, prompt, is_encoder_decoder=False) == bare.tolist()
    assert new_tokens(bare, prompt, is_encoder_decoder=True) == [[2, 0, 0], [9, 9, 9]]


def test_answer_ends_at_its_first_end_and_padding_is_none_of_it() -> None:
    ends = frozenset([2, 7])
    assert cut([5, 6, 7, 0, 0], ends, 0) == ([5, 6, 7], True)
    assert cut([5, 2, 2, 2], ends, 2) == ([5, 2], True)
    assert cut([5, 6, 0, 0], ends, 0) == ([5, 6], False)
    assert cut([5, 6], ends, None) == ([5, 6], False)
    assert cut([], ends, 0) == ([], False)


def test_text_ends_before_the_first_stop_string() -> None:
    assert cut_text("ab##c.", ("##", ".")) == ("ab", True)
    assert cut_text("ab##c.", (".", "##")) == ("ab", True)
    assert cut_text("##", ("##",)) == ("", True)
    assert cut_text("ab#", ("##",)) == ("ab#", False)
    assert cut_text("ab", ()) == ("ab", False)
