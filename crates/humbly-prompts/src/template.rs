//! Prompts as templates. What is filled in is data: it is never read as a template, and nothing is escaped.

use std::collections::HashSet;

use minijinja::{AutoEscape, Environment, Error, UndefinedBehavior, Value};

/// An environment in which a variable that nothing fills is an error.
pub fn environment() -> Environment<'static> {
    let mut environment = Environment::new();
    environment.set_undefined_behavior(UndefinedBehavior::Strict);
    environment.set_auto_escape_callback(|_| AutoEscape::None);
    environment
}

/// Fills in a template; white space at both ends goes.
///
/// # Errors
/// A source that is no template, a variable that nothing fills, a filter that does not exist.
///
/// # Examples
/// ```
/// let values = minijinja::context! { question => "{{ 7 * 7 }} <b>" };
/// assert_eq!(humbly_prompts::fill("Well? {{ question }}\n", values)?, "Well? {{ 7 * 7 }} <b>");
/// assert!(humbly_prompts::fill("{{ answer }}", minijinja::context! {}).is_err());
/// # Ok::<(), minijinja::Error>(())
/// ```
pub fn fill(source: &str, values: impl Into<Value>) -> Result<String, Error> {
    fill_untrimmed(source, values).map(|text| text.trim().to_owned())
}

/// The same, with the white space at its ends.
///
/// # Errors
/// As [`fill`].
pub fn fill_untrimmed(source: &str, values: impl Into<Value>) -> Result<String, Error> {
    environment().template_from_str(source)?.render(values)
}

/// The variables that a template names.
///
/// # Errors
/// A source that is no template.
///
/// # Examples
/// ```
/// assert!(humbly_prompts::variables("Well? {{ question }}")?.contains("question"));
/// # Ok::<(), minijinja::Error>(())
/// ```
pub fn variables(source: &str) -> Result<HashSet<String>, Error> {
    Ok(environment().template_from_str(source)?.undeclared_variables(false))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn any_value_stands_in_the_text_as_it_is(value in "[a-z{}%#<>&\"' ]{0,60}") {
            let text = fill_untrimmed("<{{ value }}>", minijinja::context! { value => value.as_str() }).unwrap();
            prop_assert_eq!(text, format!("<{value}>"));
        }

        #[test]
        fn any_source_is_a_template_or_an_error(source in "[a-z{}%#| ]{0,60}") {
            let _ = variables(&source);
            let _ = fill(&source, minijinja::context! {});
        }
    }
}
