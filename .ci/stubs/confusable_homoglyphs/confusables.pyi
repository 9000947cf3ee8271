confusables_data: dict[str, list[dict[str, str]]]
