"""Texts that would run, ask for, hide or break something in a page that took them for markup."""

from __future__ import annotations

from tests.support.attacks import CASES


def hostile_texts(url: str) -> list[str]:
    """Markup, scripts and odd characters; whatever is fetched would be fetched from `url`."""
    run = "document.title='run';document.documentElement.dataset.run=1"
    return [
        f"<script>{run}</script>",
        f"</script><script>{run}</script>",
        f"</SCRIPT\t><img src=x onerror={run}>",
        f"<!--<script>{run}</script>-->",
        "<!--<script>",
        f"]]></script><svg onload={run}>",
        f'"><img src={url}/a onerror="{run}">',
        f"' autofocus onfocus='{run}' x='",
        f"<iframe src={url}/b></iframe><iframe srcdoc='<script>parent.{run}</script>'></iframe>",
        f"<object data={url}/c></object><embed src={url}/d>",
        f"<link rel=stylesheet href={url}/e><style>@import '{url}/f'; * {{ display: none }}</style>",
        f"</style><style>body {{ background: url({url}/g) }}</style>",
        f"<meta http-equiv=refresh content='0;url={url}/h'><base href={url}/>",
        f"<form action={url}/i><button autofocus>x</button></form><video src={url}/j autoplay>",
        f"<a href='javascript:{run}'>x</a> [x](javascript:{run}) ![x]({url}/k)",
        f"<math><mtext></mtext><mglyph><style><!--</style><img src={url}/l onerror={run}>",
        f"<template><script>{run}</script></template><noscript><p title='</noscript><img src={url}/m>'>",
        f"<details open ontoggle={run}><summary>x</summary></details><marquee onstart={run}>",
        "{{ 7 * 7 }}{% raw %}{# x #}${7*7}<%= 7*7 %>",
        "&lt;script&gt; &amp; &#60;script&#62; &quot;",
        "__proto__",
        "constructor",
        "\u202egnirts siht\u202c \u2067rtl\u2069 \u200b\ufeff\u00ad",
        "line\u2028separator\u2029paragraph\x85next",
        "half \ud800 pair \udfff",
        "nul \x00 bell \x07 escape \x1b[31m delete \x7f",
        "مرحبا بالعالم كيف حالك",
        "שלום <b>עולם</b>",
        "😀👨‍👩‍👧‍👦🏴󠁧󠁢󠁥󠁮󠁧󠁿 猫 e\u0301\u0301\u0301" + "\u0336" * 200,
        "W" * 5_000,
        "word " * 30_000,
        "\n" * 3_000 + "end",
        "",
        " ",
        *(attack for _, attack in CASES),
    ]
