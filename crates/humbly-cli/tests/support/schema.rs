//! Whether a document is what its schema in `docs/schemas` says.

use serde_json::Value;

use super::root;

/// Fails where `document` is not what `docs/schemas/NAME.json` says, and where the schema says nothing of a key.
///
/// Knows what our generated schemas use: types, required and known properties, items, alternatives, constants.
pub(crate) fn assert_fits(name: &str, document: &Value) {
    let path = root().join(format!("docs/schemas/{name}.json"));
    let schema: Value = serde_json::from_str(&std::fs::read_to_string(&path).unwrap()).unwrap();
    if let Err(fault) = fits(&schema, &schema, document, "$") {
        panic!("{name}: {fault}");
    }
}

fn fits(whole: &Value, schema: &Value, value: &Value, at: &str) -> Result<(), String> {
    if let Some(name) = schema["$ref"].as_str() {
        let target = whole.pointer(name.trim_start_matches('#'));
        fits(whole, target.ok_or_else(|| format!("{at}: no {name}"))?, value, at)?;
    }
    for (key, is_enough) in [("anyOf", true), ("oneOf", true), ("allOf", false)] {
        let Some(parts) = schema[key].as_array() else { continue };
        let faults: Vec<String> =
            parts.iter().filter_map(|part| fits(whole, part, value, at).err()).collect();
        if faults.len() == parts.len() || !(is_enough || faults.is_empty()) {
            return Err(faults.join("; "));
        }
    }
    let types: Vec<&str> = match &schema["type"] {
        Value::String(one) => vec![one],
        Value::Array(several) => several.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    };
    if !types.is_empty() && !types.iter().any(|known| is_of(known, value)) {
        return Err(format!("{at} is {value}, expected {}", types.join(" or ")));
    }
    if schema.get("const").is_some_and(|known| known != value)
        || schema["enum"].as_array().is_some_and(|known| !known.contains(value))
    {
        return Err(format!("{at} is {value}, which the schema does not list"));
    }
    match value {
        Value::Object(fields) if !types.is_empty() => {
            for name in schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str) {
                if !fields.contains_key(name) {
                    return Err(format!("{at} has no {name}"));
                }
            }
            for (name, field) in fields {
                let known = schema["properties"].get(name).or_else(|| schema.get("additionalProperties"));
                let known = known.ok_or_else(|| format!("{at}.{name} stands in no schema"))?;
                fits(whole, known, field, &format!("{at}.{name}"))?;
            }
        }
        Value::Array(items) if schema.get("items").is_some() => {
            for (index, item) in items.iter().enumerate() {
                fits(whole, &schema["items"], item, &format!("{at}[{index}]"))?;
            }
        }
        _ => {}
    }
    Ok(())
}

fn is_of(kind: &str, value: &Value) -> bool {
    match kind {
        "null" => value.is_null(),
        "boolean" => value.is_boolean(),
        "integer" => value.is_i64() || value.is_u64(),
        "number" => value.is_number(),
        "string" => value.is_string(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        _ => false,
    }
}
