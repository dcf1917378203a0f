"""A hook for MkDocs that adds the reference pages of `guide_reference.py` and the repository files that pages link to.

Without it, links out of `docs/` would be broken in the published guide. A folder becomes a page that lists its files.
"""

import os
import pathlib
import posixpath
import re
import subprocess

from mkdocs.structure.files import File

ROOT = pathlib.Path(__file__).parent.parent
LINK = re.compile(r"\]\(((?:\.\./)+[^)#\s]*)(?:#[^)\s]*)?\)")


def target_of(page, link):
    """Returns the file or folder of the repository that a link of a page leads to; None if it is below `docs/`."""
    target = posixpath.normpath(posixpath.join("docs", posixpath.dirname(page), link))
    return None if target.startswith("docs/") else target


def copy_of(target):
    """Returns the path of the copy in the guide. Markdown is copied as text, because its links would be broken."""
    if (ROOT / target).is_dir():
        return f"files/{target}/index.html"
    return f"files/{target}.txt" if target.endswith(".md") else f"files/{target}"


def on_files(files, config, **_):
    for page in sorted(pathlib.Path(os.environ["GUIDE_REFERENCE"]).glob("*.md")):
        files.append(File.generated(config, f"reference/{page.name}", content=page.read_text()))
    targets = set()
    for file in files.documentation_pages():
        links = (match.group(1) for match in LINK.finditer(file.content_string))
        targets |= {target for link in links if (target := target_of(file.src_uri, link))}
    for target in sorted(targets):
        source = ROOT / target
        if source.is_dir():
            # Files that were built there do not belong to the repository.
            listed = subprocess.run(["git", "ls-files", target], cwd=ROOT, capture_output=True, text=True, check=True)
            targets_below = listed.stdout.splitlines()
            names = [posixpath.relpath(copy_of(below), f"files/{target}") for below in targets_below]
            items = "".join(f'<li><a href="{name}">{name}</a></li>' for name in names)
            page = f"<!doctype html><meta charset=utf-8><title>{target}</title><h1>{target}</h1><ul>{items}</ul>"
            files.append(File.generated(config, copy_of(target), content=page))
        else:
            targets_below = [target]
        for below in targets_below:
            if files.get_file_from_path(copy_of(below)) is None:
                files.append(File.generated(config, copy_of(below), abs_src_path=str(ROOT / below)))
    return files


def on_page_markdown(markdown, page, **_):
    def led_to_copy(match):
        target = target_of(page.file.src_uri, match.group(1))
        up = "../" * page.file.src_uri.count("/")
        return f"]({up}{copy_of(target)})" if target else match.group(0)

    return LINK.sub(led_to_copy, markdown)
