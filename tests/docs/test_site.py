"""The site: every page is built, every link leads somewhere, and nothing is loaded from elsewhere."""

import re
from pathlib import Path
from urllib.parse import unquote

import pytest

ROOT = Path(__file__).parents[2]
_TARGETS = re.compile(r'(?:href|src)="([^"]+)"')


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    build = pytest.importorskip("mkdocs.commands.build", reason="pip install 'nri[docs]'")
    from mkdocs.config import load_config

    place = tmp_path_factory.mktemp("site")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(ROOT)
        patch.setenv("NO_MKDOCS_2_WARNING", "1")
        build.build(load_config(str(ROOT / "mkdocs.yml"), site_dir=str(place), strict=True))
    return place


def test_the_site_has_its_pages_and_a_search_index(site):
    for name in (
        "index.html",
        "api.html",
        "api/rules.html",
        "notebooks/clinic.html",
        "cookbook/index.html",
        "results.html",
    ):
        assert (site / name).is_file(), name
    assert "NRIRegressor" in (site / "search" / "search_index.json").read_text(encoding="utf-8")


def test_every_link_leads_to_a_file_of_the_site(site):
    checked = 0
    for page in site.rglob("*.html"):
        for link in _TARGETS.findall(page.read_text(encoding="utf-8")):
            if re.match(r"(https?|mailto|data|javascript):|#", link) or page.name == "404.html":
                continue
            target = page.parent / unquote(link.split("#")[0].split("?")[0])
            assert target.exists(), f"{page.relative_to(site)}: {link}"
            checked += 1
    assert checked > 500


def test_nothing_is_loaded_from_elsewhere(site):
    for page in site.rglob("*.html"):
        text = page.read_text(encoding="utf-8")
        loaded = re.findall(r'<(?:script|img|iframe)[^>]+src="(https?:[^"]+)"', text)
        loaded += re.findall(r'<link[^>]+rel="(?:stylesheet|preconnect)"[^>]+href="(https?:[^"]+)"', text)
        assert not loaded, page


def test_the_reference_has_every_entry_once_on_a_page_of_its_group(site):
    whole = (ROOT / "docs" / "api.md").read_text(encoding="utf-8")
    names = re.findall(r"^### (?:class )?`(\w+)", whole, flags=re.MULTILINE)
    pages = [page.read_text(encoding="utf-8") for page in (site / "api").glob("*.html")]
    headings = [name for page in pages for name in re.findall(r"<h2 id=[^>]*>(?:class )?<code>(\w+)", page)]
    assert sorted(headings) == sorted(names)
