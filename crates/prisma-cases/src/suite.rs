//! Runs the tests of a spec.

use std::cell::RefCell;
use std::rc::Rc;

use crate::corpus::{Corpus, Spec};
use crate::evaluate::{Program, Stop};
use crate::report::Outcome;
use crate::scala::{Function, Statement};
use crate::service::{Database, Service, has_capability};
use crate::value::{Binding, Host, Scope, Test, Value};

/// The spec about tables that migrations make.
const MIGRATIONS: &str = "MigrationsSpec";

/// Functions of the tests that use Prisma's process, whose place functions of `evaluate` take.
const REPLACED: [&str; 1] = ["executeOnInternalDatabase"];
const REPLACED_IN_MIGRATIONS: [&str; 7] = [
    "setup",
    "deploy",
    "deployThatMustError",
    "inspect",
    "deployInternal",
    "isPostgres",
    "isMySql",
];

/// What specs about the APIs and about datamodels extend.
const BASES: [&str; 3] = ["ApiSpecBase", "DataModelValidationSpecBase", "IntegrationBaseSpec"];

/// Runs a spec, and returns the outcomes of its tests by their names; none, if it has no tests.
pub(crate) fn run(
    corpus: &Corpus,
    spec: &Spec,
    service: Option<&RefCell<Service>>,
    database: Database,
) -> Vec<(String, Outcome)> {
    let ancestors = corpus.ancestors(&spec.template);
    if !ancestors.iter().any(|name| name.starts_with("FlatSpec") || name.starts_with("WordSpec")) {
        return Vec::new();
    }
    if let Some(service) = service {
        service.borrow_mut().serve_with(serve_options(&spec.path));
    }
    let program = Program::new(corpus, service, database);
    let scope = Scope::new(None);
    let is_of_api =
        spec.template.name == MIGRATIONS || ancestors.iter().any(|name| BASES.contains(&&**name));
    program.is_declaring.set(true);
    let set_up = program.declare_members(spec, &scope);
    program.is_declaring.set(false);
    let tests = program.tests.take();
    if tests.is_empty() {
        let reason = match &set_up {
            Err(Stop::NotUnderstood(reason)) => format!("its declarations: {reason}"),
            Err(Stop::Failed(text)) => {
                return vec![(String::new(), Outcome::Different(text.clone()))];
            }
            Ok(()) => "it declares no tests".into(),
        };
        return vec![(String::new(), Outcome::NotCompared(reason))];
    }
    let unsuited = program.unsuited(&scope);
    let mut before_all = None;
    tests
        .into_iter()
        .map(|test| {
            let tag = database.ignored_tag();
            let outcome = match (&unsuited, &set_up) {
                _ if !is_of_api => {
                    Outcome::NotCompared("it is about Prisma's process, not its API".into())
                }
                (Ok(Some(reason)), _) => Outcome::LeftOut(reason.clone()),
                (Err(reason), _) => Outcome::NotCompared(reason.clone()),
                _ if is_about_less(&test.name) => {
                    Outcome::LeftOut("it is about a database that can do less".into())
                }
                _ if test.is_ignored => Outcome::LeftOut("Prisma ignores it".into()),
                _ if test.tags.iter().any(|one| one == tag) => {
                    Outcome::LeftOut("Prisma ignores it for this database".into())
                }
                (_, Err(Stop::NotUnderstood(reason))) => {
                    Outcome::NotCompared(format!("the spec: {reason}"))
                }
                (_, Err(Stop::Failed(text))) => Outcome::Different(text.clone()),
                (_, Ok(())) => {
                    let before_all =
                        before_all.get_or_insert_with(|| program.call_hook("beforeAll", &scope));
                    program.run_test(&test, before_all, &scope)
                }
            };
            (test.name, outcome)
        })
        .collect()
}

/// What the servers of a spec need, as Prisma's tests configure theirs.
fn serve_options(path: &str) -> &'static [&'static str] {
    match path {
        _ if path.contains("/import_export/") => &["--max-response-size", "1000"],
        _ if path.ends_with("/ExecuteRawSpec.scala") => &["--raw-access"],
        _ => &[],
    }
}

impl Program<'_> {
    /// Evaluates the members of a class and of what it extends.
    fn declare_members(&self, spec: &Spec, scope: &Scope) -> Result<(), Stop> {
        let templates = self.corpus.linearization(&spec.template);
        let members = || templates.iter().flat_map(|template| &template.members);
        for member in members() {
            match member {
                Statement::Function(function) => {
                    let is_replaced = REPLACED.contains(&&*function.name)
                        || (spec.template.name == MIGRATIONS
                            && REPLACED_IN_MIGRATIONS.contains(&&*function.name));
                    if !is_replaced {
                        Self::override_function(function, scope);
                    }
                }
                Statement::Template(template) => {
                    scope.bind(&template.name, Binding::Template(template.clone()));
                }
                Statement::Value(_) | Statement::Expression(_) => {}
            }
        }
        let mut result = Ok(());
        for member in members() {
            match member {
                Statement::Value(definition) => {
                    let defined = self.define(definition, scope);
                    let reason = match defined {
                        Ok(()) => continue,
                        Err(Stop::NotUnderstood(reason)) => reason,
                        Err(failed @ Stop::Failed(_)) => {
                            result = result.and(Err(failed));
                            continue;
                        }
                    };
                    // Only the tests that use the value stop.
                    for name in names_of(&definition.pattern) {
                        scope.bind(&name, Binding::Failed(reason.clone().into()));
                    }
                }
                Statement::Expression(expression) => {
                    if let Err(stop) = self.evaluate(expression, scope) {
                        result = result.and(Err(stop));
                    }
                }
                Statement::Function(_) | Statement::Template(_) => {}
            }
        }
        result
    }

    fn override_function(function: &Rc<Function>, scope: &Scope) {
        if function.body.is_none() {
            return;
        }
        let overridden = match scope.find_own(&function.name) {
            Some(Binding::Function(before, rest)) => {
                std::iter::once(before).chain(rest.iter().cloned()).collect()
            }
            _ => Vec::new(),
        };
        scope.bind(&function.name, Binding::Function(function.clone(), Rc::new(overridden)));
    }

    /// Why a spec is not for this database. The error names what is not understood.
    fn unsuited(&self, scope: &Scope) -> Result<Option<String>, String> {
        let value = |name: &str| match scope.find_own(name) {
            Some(_) => match self.name(name, scope) {
                Ok(value) => Ok(Some(value)),
                Err(Stop::NotUnderstood(reason) | Stop::Failed(reason)) => Err(reason),
            },
            None => Ok(None),
        };
        let names = |name: &str| -> Result<Option<Vec<String>>, String> {
            Ok(match value(name)? {
                Some(Value::List(items)) => {
                    let names = items.iter().map(|item| match item {
                        Value::Host(Host::Named(name)) => Ok(name.to_string()),
                        _ => Err(format!("the values of {name}")),
                    });
                    Some(names.collect::<Result<_, _>>()?)
                }
                Some(_) => return Err(format!("the value of {name}")),
                None => None,
            })
        };
        if matches!(value("doNotRun")?, Some(Value::Bool(true))) {
            return Ok(Some("Prisma does not run it".into()));
        }
        let tag = self.database.connector_tag().to_owned();
        let only = names("runOnlyForConnectors")?;
        if only.is_some_and(|only| !only.contains(&tag))
            || names("doNotRunForConnectors")?.is_some_and(|not| not.contains(&tag))
        {
            return Ok(Some("it is for another database".into()));
        }
        let required = names("runOnlyForCapabilities")?.unwrap_or_default();
        if let Some(missing) = required.iter().find(|one| !has_capability(one)) {
            return Ok(Some(format!("it is for the {missing}")));
        }
        let refused = names("doNotRunForCapabilities")?.unwrap_or_default();
        if let Some(own) = refused.iter().find(|one| has_capability(one)) {
            return Ok(Some(format!("it is not for the {own}")));
        }
        Ok(None)
    }

    fn call_hook(&self, name: &str, scope: &Scope) -> Result<(), Stop> {
        match scope.find_own(name) {
            Some(Binding::Function(function, overridden)) => {
                self.call_function(&function, &overridden, Vec::new(), scope).map(|_| ())
            }
            _ => Ok(()),
        }
    }

    fn run_test(&self, test: &Test, before_all: &Result<(), Stop>, scope: &Scope) -> Outcome {
        self.trail.borrow_mut().clear();
        self.assertions.set(0);
        self.left_out.borrow_mut().clear();
        self.other_errors.borrow_mut().clear();
        let result = before_all
            .clone()
            .and_then(|()| self.call_hook("beforeEach", scope))
            .and_then(|()| self.evaluate(&test.body, &test.scope).map(|_| ()));
        let assertions = self.assertions.get();
        match result {
            Err(Stop::Failed(text)) => Outcome::Different(text),
            Err(Stop::NotUnderstood(reason)) if assertions > 0 => {
                Outcome::Partly(format!("up to {reason}"))
            }
            Err(Stop::NotUnderstood(reason)) => Outcome::NotCompared(reason),
            Ok(()) => match (self.other_errors.borrow().first(), self.left_out.borrow().first()) {
                (Some(first), _) => Outcome::OtherError(first.clone()),
                // Without a server there are no answers to compare.
                _ if assertions == 0
                    && self.trail.borrow().is_empty()
                    && self.service.is_some() =>
                {
                    Outcome::NotCompared("it compares nothing".into())
                }
                (None, Some(first)) => Outcome::Partly(format!("without {first}")),
                (None, None) => Outcome::Equal,
            },
        }
    }
}

/// A validation for a connector without a capability; Thalweg's databases have it.
fn is_about_less(name: &str) -> bool {
    let name = name.to_lowercase();
    name.contains("not supported") || name.contains("does not support")
}

fn names_of(pattern: &crate::scala::Pattern) -> Vec<String> {
    use crate::scala::Pattern;
    match pattern {
        Pattern::Name(name) => vec![name.clone()],
        Pattern::Typed(inner, _) => names_of(inner),
        Pattern::Tuple(inner) | Pattern::Extract(_, inner) | Pattern::Alternatives(inner) => {
            inner.iter().flat_map(names_of).collect()
        }
        Pattern::Any | Pattern::Value(_) => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scala;
    use crate::service::scripted;

    /// Runs the tests of a spec's text against a server that gives these answers, and returns the
    /// first letters of their outcomes.
    fn check(text: &str, answers: &[&str], expected: &str) {
        let mut corpus = Corpus::default();
        corpus.add("a.scala", scala::parse(text).expect("tokens"));
        let service = RefCell::new(scripted::service(answers));
        let outcomes = run(&corpus, &corpus.specs[0], Some(&service), Database::Sqlite);
        let letters: String = outcomes
            .iter()
            .map(|(_, outcome)| outcome.word().trim_start().chars().next().unwrap_or(' '))
            .collect();
        assert_eq!(letters, expected, "{outcomes:?}");
    }

    fn spec(body: &str) -> String {
        format!(
            "class ASpec extends FlatSpec with Matchers with ApiSpecBase {{
               val project = SchemaDsl.fromStringV11() {{ \"type A {{ id: ID! @id }}\" }}
               {body}
             }}"
        )
    }

    fn test(body: &str) -> String {
        spec(&format!("\"A\" should \"b\" in {{ database.setup(project)\n {body} }}"))
    }

    const QUERY: &str = "server.query(\"\"\"{ a }\"\"\", project)";

    #[test]
    fn answers_are_compared() {
        let compared =
            format!("{QUERY}.toString should be(\"\"\"{{\"data\":{{\"a\":1,\"b\":2}}}}\"\"\")");
        check(&test(&compared), &[r#"{"data":{"b":2,"a":1}}"#], "e");
        check(&test(&compared), &[r#"{"data":{"b":2,"a":2}}"#], "D");
        check(&test(&compared), &[r#"{"errors":[{"message":"no"}],"data":{"a":1,"b":2}}"#], "D");
        check(
            &test(&format!("{QUERY}.pathAsLong(\"data.a\") shouldBe 1")),
            &[r#"{"data":{"a":1}}"#],
            "e",
        );
        check(
            &test(&format!("{QUERY}.pathAsSeq(\"data.a\") should have(size(2))")),
            &[r#"{"data":{"a":[1]}}"#],
            "D",
        );
        check(
            &test(&format!("{QUERY}.pathAsSeq(\"data.a\") should not be empty")),
            &[r#"{"data":{"a":[1]}}"#],
            "e",
        );
    }

    #[test]
    fn errors_are_compared_by_code_count_and_text() {
        let failing = test(
            "server.queryThatMustFail(\"{ a }\", project, errorCode = 3039, errorContains = \"No Node\")",
        );
        let answer = |code: &str, text: &str| {
            format!(r#"{{"errors":[{{"code":{code},"message":"{text}"}}]}}"#)
        };
        check(&failing, &[&answer("3039", "No Node for")], "e");
        check(&failing, &[&answer("3040", "No Node for")], "D");
        check(&failing, &[&answer("3039", "Another")], "o");
        check(&failing, &[r#"{"data":null}"#], "D");
        check(&failing, &[r#"{"errors":[{"code":3039,"message":"No Node"},{}]}"#], "o");
    }

    #[test]
    fn tests_with_something_unknown_are_never_equal() {
        let known = format!("{QUERY}.toString should be(\"{{}}\")");
        check(&test(&format!("{known}\n unknown.thing(1)")), &["{}"], "p");
        check(&test(&format!("unknown.thing(1)\n {known}")), &["{}"], "n");
        check(&test(&format!("testDependencies.x should be(1)\n {known}")), &["{}"], "p");
        check(&test(&format!("val x = unknown.thing\n {known}")), &["{}"], "n");
        check(&test("ifConnectorIsActive { 1 should be(2) }"), &[], "n");
        check(&test(QUERY), &["{}"], "e");
        check(&test(&format!("try {{ 1 }} finally {{ 2 }}\n {known}")), &["{}"], "n");
        check(
            &spec(
                "val x = unknown.y\n \"A\" should \"b\" in { x should be(1) }\n \"A\" should \"c\" in { 1 should be(1) }",
            ),
            &[],
            "ne",
        );
    }

    #[test]
    fn values_flow_from_answers_to_requests() {
        let text = test(&format!(
            "val id = {QUERY}.pathAsString(\"data.a\")
             def twice(x: String, y: Int = 2) = s\"\"\"{{ a(x: \"${{x * y}}\") }}\"\"\"
             for (i <- 1 to 2) {{ server.query(twice(id), project) }}
             List(1, 2).map(_ + 1) should be(Vector(2, 3))
             if (id == \"z\") {{ 1 should be(2) }} else mustBeEqual(actual = id, expected = \"k\")"
        ));
        check(&text, &[r#"{"data":{"a":"k"}}"#, r#"{"data":{"echo":"kk"}}"#, "{}"], "e");
    }

    #[test]
    fn specs_and_tests_for_other_databases_are_left_out() {
        let one = "\"A\" should \"b\" in { 1 should be(1) }";
        check(&spec(one), &[], "e");
        check(
            &spec(&format!(
                "override def runOnlyForCapabilities = Set(EmbeddedTypesCapability)\n{one}"
            )),
            &[],
            "l",
        );
        check(
            &spec(&format!("override def doNotRunForConnectors = Set(SQLiteConnectorTag)\n{one}")),
            &[],
            "l",
        );
        check(&spec("\"A\" should \"b\" taggedAs (IgnoreSQLite) in { 1 should be(2) }"), &[], "l");
        check(&spec("\"A\" should \"fail if B is NOT supported\" in { 1 should be(2) }"), &[], "l");
        check(&spec("\"A\" should \"b\" taggedAs (IgnoreMongo) in { 1 should be(2) }"), &[], "D");
    }

    #[test]
    fn setups_run_before_each_test_and_a_test_runs_once_a_datamodel() {
        let hooks = "var n = 0
            override def beforeEach(): Unit = { super.beforeEach(); n = n + 1 }
            \"A\" should \"b\" in { n should be(1) }
            \"A\" should \"c\" in { n should be(2) }";
        check(&spec(hooks), &[], "ee");
        let overridden = "trait One { def f(): Int = 1 }
            trait Two extends One { override def f(): Int = super.f() + 1 }
            class ASpec extends FlatSpec with ApiSpecBase with Two {
              override def f(): Int = super.f() * 10
              \"A\" should \"b\" in { f() should be(20) }
            }";
        check(overridden, &[], "e");
        let asks = "database.setup(project); server.query(\"{ a }\", project)
            \"A\" should \"b\" in { 1 should be(1) }";
        check(&spec(asks), &["{}"], "e");
        let models = "val models = TestDataModels(mongo = Vector(\"m\"), sql = Vector(\"type A { x: Int }\", \"type B\"))
            \"A\" should \"b\" in { var n = 0; models.testV11 { project => n = n + 1 }; n should be(2) }
            \"A\" should \"c\" in { models.test(1) { model => model should be(\"type B\") } }";
        check(&spec(models), &[], "ee");
        // The program refuses datamodels with this word.
        check(&test("database.setup(SchemaDsl.fromStringV11() { \"type Refused\" })"), &[], "D");
    }

    fn check_spec(parents: &str, body: &str, expected: &str) {
        let text =
            format!("class ASpec extends FlatSpec with Matchers with {parents} {{ {body} }}");
        check(&text, &[], expected);
    }

    #[test]
    fn deployments_are_applied_or_refused_as_expected() {
        let check = |call: &str, expected: &str| {
            let body = format!(
                "\"A\" should \"b\" in {{
                   val (project, _) = setupProject(\"type A\")
                   {call}
                 }}"
            );
            check_spec("IntegrationBaseSpec", &body, expected);
        };
        let answer = |migration: &str, warnings: &str| {
            format!(
                "should be(\"\"\"{{\"data\":{{\"deploy\":{{\"migration\":{migration},\"errors\":[],\"warnings\":[{warnings}]}}}}}}\"\"\")"
            )
        };
        let lost = r#"{"description":"Values are lost."}"#;
        check("deployServer.deploySchema(project, \"type B\")", "e");
        check("deployServer.deploySchema(project, \"type Refused\")", "D");
        check("deployServer.deploySchemaThatMustError(project, \"type Refused\")", "e");
        check("deployServer.deploySchemaThatMustError(project, \"type B\")", "D");
        let warn = "deployServer.deploySchemaThatMustWarn(project, \"type Lossy\")";
        check(&format!("{warn}.toString {}", answer("null", lost)), "e");
        check(&format!("{warn}.toString {}", answer("{}", lost)), "D");
        check(&format!("{warn}.toString {}", answer("null", r#"{"description":"Another."}"#)), "o");
        let forced = "deployServer.deploySchemaThatMustWarn(project, \"type Lossy\", force = true)";
        check(&format!("{forced}.toString {}", answer("{}", lost)), "e");
        check("deployServer.deploySchemaThatMustSucceed(project, \"type Lossy\", 3)", "D");
    }

    #[test]
    fn datamodels_are_refused_or_accepted() {
        let check = |call: &str, expected: &str| {
            let body = format!("\"A\" should \"b\" in {{ {call} }}");
            check_spec("DataModelValidationSpecBase", &body, expected);
        };
        check("validate(\"type A\")", "e");
        check("validate(\"type Refused\")", "D");
        check("validate(\"type A\").type_!(\"A\").name should be(\"A\")", "e");
        check("validate(\"type A\").type_!(\"A\").isEmbedded should be(true)", "D");
        check("validate(\"type A\").type_!(\"B\").name should be(\"B\")", "D");
        check("validate(\"type A\").type_!(\"A\").manifestation should be(\"A\")", "p");
        check("validateThatMustError(\"type A\")", "D");
        let refused = "val error = validateThatMustError(\"type Refused\").head";
        check(&format!("{refused}\nerror.description should equal(\"The type is refused.\")"), "e");
        check(&format!("{refused}\nerror.description should equal(\"Another.\")"), "o");
        check("validate(\"type A\", Set(EmbeddedTypesCapability))", "n");
    }

    #[test]
    fn existing_databases_are_served_as_they_are() {
        let text = spec(
            "val own = SchemaDsl.fromStringV11ForExistingDatabase(id = \"s\") { \"type A\" }
             \"A\" should \"b\" in {
               executeOnInternalDatabase(\"CREATE TABLE a (id TEXT)\")
               server.query(\"{ a }\", own).toString should be(\"{}\")
               dataResolver(own).countByTable(\"a\").await should be(0)
             }
             \"A\" should \"c\" in { executeOnInternalDatabase(\"CREATE\") }",
        );
        check(&text, &["{}"], "eD");
    }
}
