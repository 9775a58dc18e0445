//! A row by its table and columns, as the value of an option.

use engine::RowName;
use serde_json_bytes::Value as Json;

const FORM: &str = "a table and columns are wanted, such as `post:id=3` or `post:{\"id\": 3}`";

/// Parses `post:id=3`, `blog.post:author_id=1,headline=Hi`, or a JSON object after the colon.
pub(crate) fn row(text: &str) -> Result<RowName, String> {
    let (entity, columns) = text.split_once(':').ok_or(FORM)?;
    let (entity, columns) = (entity.trim(), columns.trim());
    if entity.is_empty() {
        return Err(FORM.into());
    }
    let columns = match columns.starts_with('{') {
        true => members(columns)?,
        false => columns.split(',').map(column).collect::<Result<_, _>>()?,
    };
    match columns.is_empty() {
        true => Err(FORM.into()),
        false => Ok(RowName { entity: entity.into(), columns }),
    }
}

fn members(text: &str) -> Result<Vec<(Box<str>, Json)>, String> {
    match serde_json::from_str(text) {
        Ok(Json::Object(members)) => {
            Ok(members.into_iter().map(|(name, value)| (name.as_str().into(), value)).collect())
        }
        Ok(_) => Err(FORM.into()),
        Err(error) => Err(format!("this is not JSON: {error}")),
    }
}

fn column(text: &str) -> Result<(Box<str>, Json), String> {
    match text.split_once('=') {
        Some((name, value)) if !name.trim().is_empty() => {
            Ok((name.trim().into(), Json::String(value.into())))
        }
        Some(_) | None => Err(FORM.into()),
    }
}

#[cfg(test)]
mod tests {
    use serde_json_bytes::json;

    use super::*;

    #[test]
    fn a_row_is_named_by_its_table_and_columns() {
        let check = |text: &str, entity: &str, columns: &[(&str, Json)]| {
            let columns = columns.iter().map(|(name, value)| ((*name).into(), value.clone()));
            let expected = RowName { entity: entity.into(), columns: columns.collect() };
            assert_eq!(row(text), Ok(expected), "{text}");
        };
        check("post:id=3", "post", &[("id", json!("3"))]);
        check("a.post: x=1 2,y=", "a.post", &[("x", json!("1 2")), ("y", json!(""))]);
        check(
            r#"post:{"id": 3, "a": "x,y=z"}"#,
            "post",
            &[("id", json!(3)), ("a", json!("x,y=z"))],
        );
    }

    #[test]
    fn what_names_no_row_is_refused() {
        for text in ["", "post", "post:", ":id=1", "post:id", "post:{}", "post:=1", "post:{1}"] {
            assert!(row(text).is_err(), "{text}");
        }
    }
}
