"""The course for nbgrader: what its commands and the formgrader use in this folder."""

from nbconvert.preprocessors import ClearMetadataPreprocessor, CSSHTMLHeaderPreprocessor
from nbgrader.preprocessors import (
    AssignLatePenalties,
    GetGrades,
    IgnorePattern,
    LimitOutput,
)

from autograder.child.host import STUB
from autograder.trusted import HideFromFeedback, Intake, SaveGrades, TrustedGrader

c = get_config()  # noqa: F821 -- nbgrader provides it

c.CourseDirectory.course_id = "transformer-block"
c.CourseDirectory.ignore = [".ipynb_checkpoints", "*.pyc", "__pycache__", ".pytest_cache", ".ruff_cache"]

c.ClearSolutions.code_stub = {"python": f'raise NotImplementedError("{STUB}")'}
c.ClearSolutions.text_stub = "*Write your answer here.*"

# Marks: whatever was handed in becomes a notebook that can be graded, its code runs in a process of its
# own, and the grader writes the outputs from which nbgrader records the points.
c.Autograde.exporter_class = Intake
# Intake does what nbgrader's own preprocessors for the first pass do: it takes the graded cells, their ids,
# points and texts from the gradebook.
c.Autograde.sanitize_preprocessors = []
c.Autograde.autograde_preprocessors = [
    TrustedGrader,
    IgnorePattern,
    ClearMetadataPreprocessor,
    LimitOutput,
    SaveGrades,
    AssignLatePenalties,
]
# Students' code runs behind a wall, which needs bubblewrap: `course doctor` says whether this machine has it.
# c.TrustedGrader.unwalled = True  # only for work that you trust

c.GenerateFeedback.preprocessors = [HideFromFeedback, GetGrades, CSSHTMLHeaderPreprocessor]

# Hand-ins without an exchange: transformer_block_<student>.zip, put into downloaded/<assignment>/archive/.
c.FileNameCollectorPlugin.named_regexp = (
    r".*transformer_block_(?P<student_id>[A-Za-z0-9.-]+)[/\\](?P<file_id>.+)"
)
