"""What the integration tests share."""

from __future__ import annotations

import pytest

from tests.support.project import Project


@pytest.fixture
def project(pytester: pytest.Pytester) -> Project:
    """A repository with a benchmark of six samples and models that know the answers."""
    return Project(pytester)
