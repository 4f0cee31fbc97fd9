"""What runs beside the student's code: it executes cells, answers probes and knows nothing of the checks.

This folder imports nothing from the rest of `autograder`, so that it can be shown alone to a child process.
"""
