"""The part of threadpoolctl that QuizWriter uses."""

from contextlib import AbstractContextManager

def threadpool_limits(limits: int, user_api: str) -> AbstractContextManager[object]: ...
