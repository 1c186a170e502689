"""Extensions of all API calls: fault injection, unsupported operations and caches."""
