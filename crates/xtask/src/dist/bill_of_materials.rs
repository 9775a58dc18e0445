//! The bill of materials (SBOM) of a release: the packages that the program contains, in CycloneDX's
//! JSON. <https://cyclonedx.org/docs/1.6/json/>

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use super::notices::{self, Package};
use super::tree::{TEXT, Tree};
use super::{DistError, Release, VERSION};

/// Writes the file, and returns its name.
pub(crate) fn make(release: &Release<'_>, folder: &Path) -> Result<String, DistError> {
    let packages = notices::packages(release.workspace, release.platform)?;
    let path = release.workspace.join("Cargo.lock");
    let lock = fs::read_to_string(&path).map_err(|error| DistError::File { path, error })?;
    let platform = release.platform.name(release.linkage.libc());
    let text = print(&packages, &checksums(&lock), &platform);
    let name = format!("thalweg-{VERSION}-{platform}.cdx.json");
    Tree::new(folder)?.write(&name, &text, TEXT)?;
    Ok(name)
}

/// The SHA-256 sums of packages by name and version.
type Checksums<'l> = BTreeMap<(&'l str, &'l str), &'l str>;

fn checksums(lock: &str) -> Checksums<'_> {
    let packages = lock.split("[[package]]").skip(1).filter_map(|package| {
        let value = |key: &str| {
            let mut lines = package.lines();
            lines.find_map(|line| line.strip_prefix(key)?.strip_prefix(" = \"")?.strip_suffix('"'))
        };
        Some(((value("name")?, value("version")?), value("checksum")?))
    });
    packages.collect()
}

fn print(packages: &BTreeSet<Package>, checksums: &Checksums<'_>, platform: &str) -> String {
    let mut text = format!(
        r#"{{
  "bomFormat": "CycloneDX",
  "specVersion": "1.6",
  "version": 1,
  "metadata": {{
    "component": {{
      "type": "application",
      "bom-ref": "thalweg",
      "name": "thalweg",
      "version": {version},
      "licenses": [{{"expression": "MIT OR Apache-2.0"}}],
      "properties": [{{"name": "platform", "value": {platform}}}]
    }}
  }},
  "components": ["#,
        version = quoted(VERSION),
        platform = quoted(platform),
    );
    for (place, package) in packages.iter().enumerate() {
        let Package { name, version, licence, home } = package;
        let url = format!("pkg:cargo/{name}@{version}");
        text.push_str(if place == 0 { "\n" } else { ",\n" });
        // Writing to a text does not fail.
        let _ = write!(
            text,
            r#"    {{"type": "library", "bom-ref": {url}, "name": {name}, "version": {version}, "purl": {url}"#,
            url = quoted(&url),
            name = quoted(name),
            version = quoted(version),
        );
        if !licence.is_empty() {
            // Old packages separate licences by a slash.
            let licence = quoted(&licence.replace(" / ", " OR ").replace('/', " OR "));
            let _ = write!(text, r#", "licenses": [{{"expression": {licence}}}]"#);
        }
        if let Some(sum) = checksums.get(&(name.as_str(), version.as_str())) {
            let sum = quoted(sum);
            let _ = write!(text, r#", "hashes": [{{"alg": "SHA-256", "content": {sum}}}]"#);
        }
        if !home.is_empty() {
            let home = quoted(home);
            let _ = write!(text, r#", "externalReferences": [{{"type": "vcs", "url": {home}}}]"#);
        }
        text.push('}');
    }
    text.push_str("\n  ]\n}\n");
    text
}

/// A text of JSON.
fn quoted(text: &str) -> String {
    let mut quoted = String::from('"');
    for character in text.chars() {
        match character {
            '"' | '\\' => quoted.extend(['\\', character]),
            control if control.is_control() => {
                let _ = write!(quoted, "\\u{:04x}", u32::from(control));
            }
            plain => quoted.push(plain),
        }
    }
    quoted.push('"');
    quoted
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_package_has_its_checksum_and_licence() {
        let lock = "version = 4\n\n[[package]]\nname = \"bytes\"\nversion = \"1.2.0\"\nsource = \
                    \"registry\"\nchecksum = \"ab12\"\ndependencies = [\n \"serde\",\n]\n\n\
                    [[package]]\nname = \"engine\"\nversion = \"0.1.0\"\n";
        let package = |name: &str, licence: &str, home: &str| Package {
            name: name.to_owned(),
            version: "1.2.0".to_owned(),
            licence: licence.to_owned(),
            home: home.to_owned(),
        };
        let packages = BTreeSet::from([
            package("bytes", "MIT/Apache-2.0", "https://github.com/tokio-rs/bytes"),
            package("quo\"te", "", ""),
        ]);
        let text = print(&packages, &checksums(lock), "x86_64-linux-musl");
        let components = text.split_once("\"components\": [\n").map(|(_, rest)| rest);
        assert_eq!(
            components,
            Some(
                r#"    {"type": "library", "bom-ref": "pkg:cargo/bytes@1.2.0", "name": "bytes", "version": "1.2.0", "purl": "pkg:cargo/bytes@1.2.0", "licenses": [{"expression": "MIT OR Apache-2.0"}], "hashes": [{"alg": "SHA-256", "content": "ab12"}], "externalReferences": [{"type": "vcs", "url": "https://github.com/tokio-rs/bytes"}]},
    {"type": "library", "bom-ref": "pkg:cargo/quo\"te@1.2.0", "name": "quo\"te", "version": "1.2.0", "purl": "pkg:cargo/quo\"te@1.2.0"}
  ]
}
"#
                .replace("quo\"te", "quo\\\"te")
                .as_str()
            )
        );
    }
}
