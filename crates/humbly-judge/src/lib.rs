//! Rubrics to verdicts: the lexical judge and its agreement with people.
