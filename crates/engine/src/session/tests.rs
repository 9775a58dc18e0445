use std::time::{Duration, SystemTime, UNIX_EPOCH};

use testkit::tokens::{Curve, Issuer, encode, key_set};

use super::*;

const SECRET: &str = "a secret of more than thirty-two bytes";
pub(super) const NOW: u64 = 1_800_000_000;

pub(super) fn now() -> SystemTime {
    UNIX_EPOCH + Duration::from_secs(NOW)
}

fn sessions(keys: KeySet, rules: Rules) -> Sessions {
    Sessions::new(keys, rules, Mapping::default())
}

pub(super) fn with_secret(rules: Rules) -> Sessions {
    sessions(KeySet::new(vec![Key::secret(SECRET.as_bytes())]), rules)
}

fn pem(issuer: &Issuer) -> KeySet {
    KeySet::new(Key::from_pem(issuer.pem().as_bytes()).unwrap())
}

/// The settings of a token, or why it is none.
fn judge(sessions: &Sessions, token: &str) -> Result<Vec<(String, String)>, Refused> {
    let verified = sessions.check(token, &[], 0, now())?;
    let session = sessions.authenticated(&verified, Vec::new());
    let settings = session.settings.map(|settings| settings.pairs().to_vec()).unwrap_or_default();
    Ok(settings.into_iter().map(|(name, value)| (name.into(), value.into())).collect())
}

fn claims_of(rules: Rules, claims: &str) -> Result<Vec<(String, String)>, Refused> {
    judge(&with_secret(rules), &Issuer::secret(SECRET).token(claims))
}

fn pairs(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
    pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
}

#[test]
fn claims_stay_with_the_session_whatever_else_is_set() {
    let sessions = with_secret(Rules::default());
    let token = Issuer::secret(SECRET).token(r#"{"sub":"me"}"#);
    let verified = sessions.check(&token, &[], 0, now()).unwrap();
    for settings in [Vec::new(), vec![("app.tenant".into(), "t".into())]] {
        let session = sessions.authenticated(&verified, settings);
        let claims = session.claims.unwrap();
        assert_eq!(claims.get("sub").and_then(|sub| sub.as_str()), Some("me"));
    }
    assert!(sessions.anonymous_with(vec![("app.tenant".into(), "t".into())]).claims.is_none());
}

#[test]
fn claims_become_settings_behind_the_role() {
    let claims = r#"{"user_id":7,"role":"author","ok":true,"none":null,"tags":["a",{"b":1.50}],"mail":"a'b\"c","x":1e2}"#;
    let expected = [
        ("role", "author"),
        ("jwt.claims.user_id", "7"),
        ("jwt.claims.role", "author"),
        ("jwt.claims.ok", "true"),
        ("jwt.claims.tags", r#"["a",{"b":1.5}]"#),
        ("jwt.claims.mail", "a'b\"c"),
        ("jwt.claims.x", "100"),
    ];
    assert_eq!(claims_of(Rules::default(), claims), Ok(pairs(&expected)));
}

#[test]
fn claims_without_a_token_make_the_session_of_a_token_with_them() {
    let mapping = Mapping {
        role: vec!["app".into(), "role".into()],
        default_role: Some("visitor".into()),
        claims: Some(vec!["user_id".into(), "app".into()]),
        claims_object: Some("request.jwt.claims".into()),
        fixed: vec![("app.version".into(), "7".into())],
    };
    let keys = KeySet::new(vec![Key::secret(SECRET.as_bytes())]);
    let sessions = Sessions::new(keys, Rules::default(), mapping.clone());
    let settings_of = |session: Session| {
        let pairs = session.settings.map(|settings| settings.pairs().to_vec()).unwrap_or_default();
        let claims = session.claims.map(|claims| claims.all().clone());
        (pairs, claims)
    };
    for text in
        [r#"{"user_id":7,"app":{"role":"author"},"x":1}"#, r#"{"user_id":1.50}"#, r#"{"app":{}}"#]
    {
        let token = Issuer::secret(SECRET).token(text);
        let verified = sessions.check(&token, &[], 0, now()).unwrap();
        let claims = Claims::new(serde_json::from_str(text).unwrap());
        let session = mapping.session(Some(claims)).unwrap();
        let ((mut pairs, claims), (mut expected, of_token)) =
            (settings_of(session), settings_of(sessions.authenticated(&verified, Vec::new())));
        pairs.sort();
        expected.sort();
        assert_eq!((pairs, claims), (expected, of_token), "{text}");
    }
    assert_eq!(settings_of(mapping.session(None).unwrap()), settings_of(sessions.anonymous()));
    let wrong = Claims::new(serde_json::from_str(r#"{"app":{"role":7}}"#).unwrap());
    assert_eq!(
        mapping.session(Some(wrong)).unwrap_err(),
        Refused::Invalid("its role cannot be one")
    );
}

#[test]
fn one_setting_may_hold_all_claims() {
    let check =
        |claims: Option<&str>, default_role: Option<&str>, wanted: Option<&str>, object: &str| {
            let mapping = Mapping {
                default_role: default_role.map(Into::into),
                claims: wanted.map(|wanted| vec![wanted.into()]),
                claims_object: Some("request.jwt.claims".into()),
                ..Mapping::default()
            };
            let claims = claims.map(|text| Claims::new(serde_json::from_str(text).unwrap()));
            let settings = mapping.session(claims).unwrap().settings.unwrap();
            let found = settings.pairs().iter().find(|(name, _)| **name == *"request.jwt.claims");
            assert_eq!(found.map(|(_, value)| &**value), Some(object));
        };
    let of_supabase = r#"{"sub":"7","role":"authenticated","https://a.example/x":[1.5]}"#;
    check(Some(of_supabase), Some("anon"), None, of_supabase);
    check(Some(of_supabase), None, Some("sub"), r#"{"sub":"7","role":"authenticated"}"#);
    check(Some(r#"{"sub":"7"}"#), Some("anon"), None, r#"{"sub":"7","role":"anon"}"#);
    check(None, Some("anon"), None, r#"{"role":"anon"}"#);
    check(None, None, None, "{}");
}

#[test]
fn a_claim_whose_name_no_setting_has_is_left_out() {
    let claims =
        r#"{"https://a.example/x":1,"":2,"a b":3,"a.b":4,"a..b":5,"9a":6,"ä":7,"$":8,"a\"":9}"#;
    let expected = [("jwt.claims.a.b", "4"), ("jwt.claims.ä", "7")];
    assert_eq!(claims_of(Rules::default(), claims), Ok(pairs(&expected)));
}

#[test]
fn a_role_is_a_text_that_names_one() {
    for role in ["7", "[]", "[\"a\"]", "{}", "true", "\"\"", "\"none\"", "\"a\\u0000\""] {
        let judged = claims_of(Rules::default(), &format!(r#"{{"role":{role}}}"#));
        assert!(matches!(judged, Err(Refused::Invalid(_))), "{role}: {judged:?}");
    }
    for claims in ["{}", r#"{"role":null}"#] {
        assert_eq!(claims_of(Rules::default(), claims), Ok(pairs(&[])));
    }
    // Whatever it is, it is one value to PostgreSQL.
    let odd = claims_of(Rules::default(), r#"{"role":"x\";drop table y"}"#).unwrap();
    assert_eq!(odd[0], ("role".to_owned(), "x\";drop table y".to_owned()));
}

#[test]
fn the_role_may_stand_deep_in_the_claims() {
    let mapping = Mapping {
        role: vec!["https://a.example/claims".into(), "x.role".into()],
        default_role: Some("visitor".into()),
        claims: Some(vec!["sub".into()]),
        claims_object: None,
        fixed: vec![("app.a".into(), "1".into())],
    };
    let keys = KeySet::new(vec![Key::secret(SECRET.as_bytes())]);
    let sessions = Sessions::new(keys, Rules::default(), mapping);
    let check = |claims: &str, role: Option<&str>| {
        let judged = judge(&sessions, &Issuer::secret(SECRET).token(claims)).ok();
        let expected =
            role.map(|role| pairs(&[("app.a", "1"), ("role", role), ("jwt.claims.sub", "me")]));
        assert_eq!(judged, expected, "{claims}");
    };
    check(r#"{"sub":"me","https://a.example/claims":{"x.role":"deep"}}"#, Some("deep"));
    check(r#"{"sub":"me","role":"flat"}"#, Some("visitor"));
    check(r#"{"sub":"me","https://a.example/claims":{}}"#, Some("visitor"));
    check(r#"{"sub":"me","https://a.example/claims":"deep"}"#, None);
    let anonymous = sessions.anonymous_with(vec![("app.b".into(), "2".into())]);
    let names: Vec<_> = anonymous.settings.iter().flat_map(|settings| settings.pairs()).collect();
    let names: Vec<_> = names.iter().map(|(name, _)| &**name).collect();
    assert_eq!(names, ["app.a", "app.b", "role"]);
}

#[test]
fn who_has_nothing_to_be_told_has_no_settings() {
    let sessions = with_secret(Rules::default());
    assert!(sessions.anonymous().settings.is_none());
    let verified = sessions.check(&Issuer::secret(SECRET).token("{}"), &[], 0, now()).unwrap();
    assert!(sessions.authenticated(&verified, Vec::new()).settings.is_none());
}

#[test]
fn times_hold_within_the_leeway() {
    let check = |claims: String, expected: Option<Refused>| {
        let rules = Rules { leeway: Duration::from_secs(30), ..Rules::default() };
        assert_eq!(claims_of(rules, &claims).err(), expected, "{claims}");
    };
    let early = Refused::Invalid("it is not yet good");
    let future = Refused::Invalid("it was issued in the future");
    let text = Refused::Invalid("one of its times is no number");
    check(format!(r#"{{"exp":{}}}"#, NOW - 29), None);
    check(format!(r#"{{"exp":{}}}"#, NOW - 30), Some(Refused::Expired));
    check(format!(r#"{{"exp":{}.5}}"#, NOW - 30), None);
    check(r#"{"exp":-1}"#.into(), Some(Refused::Expired));
    check(format!(r#"{{"exp":"{}"}}"#, NOW + 100), Some(text));
    check(r#"{"exp":null}"#.into(), Some(text));
    check(r#"{"exp":1e300}"#.into(), None);
    check(format!(r#"{{"nbf":{}}}"#, NOW + 30), None);
    check(format!(r#"{{"nbf":{}}}"#, NOW + 31), Some(early));
    check(format!(r#"{{"iat":{}}}"#, NOW + 30), None);
    check(format!(r#"{{"iat":{}}}"#, NOW + 31), Some(future));
    // More than a number may be is no JSON.
    assert!(claims_of(Rules::default(), r#"{"exp":1e400}"#).is_err());
}

#[test]
fn what_was_asked_for_must_be_there() {
    let check = |rules: &Rules, claims: &str, is_good: bool| {
        assert_eq!(claims_of(rules.clone(), claims).is_ok(), is_good, "{claims} {rules:?}");
    };
    let rules = Rules { audiences: vec!["a".into(), "b".into()], ..Rules::default() };
    for good in [r#"{"aud":"a"}"#, r#"{"aud":["x","b"]}"#] {
        check(&rules, good, true);
    }
    for bad in ["{}", r#"{"aud":"x"}"#, r#"{"aud":[]}"#, r#"{"aud":{"a":1}}"#, r#"{"aud":["a",1]}"#]
    {
        check(&rules, bad, false);
    }
    // The claim is not checked, and is invalid all the same.
    check(&Rules::default(), r#"{"aud":7}"#, false);
    let rules = Rules { issuers: vec!["me".into()], ..Rules::default() };
    check(&rules, r#"{"iss":"me"}"#, true);
    for bad in ["{}", r#"{"iss":"you"}"#, r#"{"iss":["me"]}"#] {
        check(&rules, bad, false);
    }
    let rules = Rules { subject: Some("s".into()), id: Some("i".into()), ..Rules::default() };
    check(&rules, r#"{"sub":"s","jti":"i"}"#, true);
    check(&rules, r#"{"sub":"s"}"#, false);
    check(&rules, r#"{"jti":"i"}"#, false);
    let rules = Rules { required: vec!["t".into()], needs_expiry: true, ..Rules::default() };
    check(&rules, r#"{"t":0,"exp":9999999999}"#, true);
    check(&rules, r#"{"t":null,"exp":9999999999}"#, false);
    check(&rules, r#"{"t":0}"#, false);
    let rules = Rules { max_age: Some(Duration::from_secs(60)), ..Rules::default() };
    check(&rules, &format!(r#"{{"iat":{}}}"#, NOW - 59), true);
    check(&rules, &format!(r#"{{"iat":{}}}"#, NOW - 60), false);
    check(&rules, "{}", false);
}

#[test]
fn every_algorithm_proves_what_its_key_has_signed_and_nothing_else() {
    let (rsa, edwards) = (Issuer::rsa(), Issuer::edwards());
    let curves = [Curve::P256, Curve::P384, Curve::P521].map(Issuer::curve);
    let secret = Issuer::secret(SECRET);
    let algorithms: [(&Issuer, &[&str]); 6] = [
        (&secret, &["HS256", "HS384", "HS512"]),
        (&rsa, &["RS256", "RS384", "RS512", "PS256", "PS384", "PS512"]),
        (&curves[0], &["ES256"]),
        (&curves[1], &["ES384"]),
        (&curves[2], &["ES512"]),
        (&edwards, &["EdDSA", "Ed25519"]),
    ];
    let sets = algorithms.iter().map(|(issuer, _)| match issuer {
        Issuer::Secret(secret) => KeySet::new(vec![Key::secret(secret)]),
        issuer => pem(issuer),
    });
    let sets: Vec<_> = sets.collect();
    for (issuer, names) in algorithms {
        for name in Algorithm::ALL.map(Algorithm::name).iter().chain(&["Ed25519"]) {
            let header = format!(r#"{{"alg":"{name}"}}"#);
            let token = issuer.sign(&header, "{}");
            let token = Token::parse(&token).unwrap();
            // Each signed with its own algorithm, whatever the header names: only the named one is
            // verified.
            let found: Vec<_> =
                sets.iter().map(|keys| token.is_signed_by([keys].into_iter())).collect();
            let own = algorithms
                .iter()
                .map(|(other, _)| std::ptr::eq(*other, issuer) && names.contains(name));
            assert_eq!(found, own.collect::<Vec<_>>(), "{} {name}", issuer.algorithm());
        }
    }
}

#[test]
fn a_public_key_is_no_secret() {
    let rsa = Issuer::rsa();
    let keys = pem(&rsa);
    // An attacker may sign with the public key, as if it were a secret.
    let forged = Issuer::secret(&rsa.pem()).token("{}");
    assert_eq!(judge(&sessions(keys, Rules::default()), &forged), Err(Refused::NoKey));
}

#[test]
fn what_was_changed_is_not_signed() {
    let issuer = Issuer::secret(SECRET);
    let token = issuer.token(r#"{"role":"author"}"#);
    let sessions = with_secret(Rules::default());
    assert!(judge(&sessions, &token).is_ok());
    for place in 0..token.len() {
        let mut bytes = token.clone().into_bytes();
        bytes[place] = if bytes[place] == b'A' { b'B' } else { b'A' };
        let changed = String::from_utf8(bytes).unwrap();
        assert!(judge(&sessions, &changed).is_err(), "{changed}");
    }
    for end in 0..token.len() {
        assert!(judge(&sessions, &token[..end]).is_err(), "{end}");
    }
}

#[test]
fn hostile_tokens_are_none() {
    let issuer = Issuer::secret(SECRET);
    let good = issuer.token("{}");
    let parts: Vec<_> = good.split('.').collect();
    let [header, claims, signature] = parts[..] else { panic!("{good}") };
    let none = encode(br#"{"alg":"none"}"#);
    let deep = format!(r#"{{"a":{}{}}}"#, "[".repeat(5_000), "]".repeat(5_000));
    let many: Vec<_> = (0..1_000).map(|number| format!(r#""a{number}":1"#)).collect();
    let hostile = [
        String::new(),
        ".".into(),
        "..".into(),
        "....".into(),
        format!("{none}.{claims}."),
        format!("{none}.{claims}.{signature}"),
        format!("{header}.{claims}."),
        format!("{header}.{claims}"),
        format!("{good}."),
        format!(".{good}"),
        format!("{good}="),
        format!("{header}=.{claims}.{signature}"),
        format!(" {good}"),
        format!("{good}.x"),
        good.replace('.', ".."),
        issuer.sign(r#"{"alg":"None"}"#, "{}"),
        issuer.sign(r#"{"alg":"NONE"}"#, "{}"),
        issuer.sign(r#"{"alg":""}"#, "{}"),
        issuer.sign(r#"{"alg":null}"#, "{}"),
        issuer.sign(r#"{"alg":["HS256"]}"#, "{}"),
        issuer.sign(r#"{"alg":"hs256"}"#, "{}"),
        issuer.sign("{}", "{}"),
        issuer.sign("[]", "{}"),
        issuer.sign("", "{}"),
        issuer.sign(r#"{"alg":"none","alg":"HS256"}"#, "{}"),
        issuer.sign(r#"{"alg":"HS256","alg":"HS256"}"#, "{}"),
        issuer.sign(r#"{"alg":"HS256","crit":["exp"]}"#, "{}"),
        issuer.sign(r#"{"alg":"HS256","b64":false}"#, "{}"),
        issuer.sign(r#"{"alg":"HS256","kid":7}"#, "{}"),
        issuer.sign(r#"{"alg":"HS256"} x"#, "{}"),
        issuer.sign(r#"{"alg":"HS256"}"#, ""),
        issuer.sign(r#"{"alg":"HS256"}"#, "[]"),
        issuer.sign(r#"{"alg":"HS256"}"#, "\"a\""),
        issuer.sign(r#"{"alg":"HS256"}"#, r#"{"role":"a","role":"b"}"#),
        issuer.sign(r#"{"alg":"HS256"}"#, r#"{"a":"\u0000"}"#),
        issuer.sign(r#"{"alg":"HS256"}"#, &deep),
        issuer.sign(r#"{"alg":"HS256"}"#, &format!("{{{}}}", many.join(","))),
        issuer.sign(r#"{"alg":"HS256"}"#, &format!(r#"{{"a":"{}"}}"#, "x".repeat(20_000))),
        issuer.sign(&format!(r#"{{"alg":"HS256","x":"{}"}}"#, "x".repeat(9_000)), "{}"),
    ];
    let sessions = with_secret(Rules::default());
    assert!(judge(&sessions, &good).is_ok());
    for token in &hostile {
        let shown = &token[..token.len().min(200)];
        assert!(judge(&sessions, token).is_err(), "{shown}");
    }
}

#[test]
fn a_key_set_holds_what_can_be_used() {
    let (rsa, curve, edwards) = (Issuer::rsa(), Issuer::curve(Curve::P256), Issuer::edwards());
    let usable = [
        rsa.jwk(r#""kid":"a","use":"sig","alg":"RS256""#),
        curve.jwk(r#""kid":"b","key_ops":["verify"]"#),
        edwards.jwk(""),
    ];
    let of = |keys: &[String]| KeySet::from_json(key_set(keys).as_bytes()).unwrap();
    assert_eq!(of(&usable).len(), 3);
    let unusable = [
        rsa.jwk(r#""use":"enc""#),
        rsa.jwk(r#""key_ops":["encrypt"]"#),
        rsa.jwk(r#""alg":"RSA-OAEP""#),
        rsa.jwk(r#""alg":"ES256""#),
        rsa.jwk(r#""kid":7"#),
        curve.jwk("").replace("P-256", "P-384"),
        curve.jwk("").replace("P-256", "secp256k1"),
        curve.jwk("").replace(r#""x":""#, r#""x":"AA"#),
        edwards.jwk("").replace("Ed25519", "Ed448"),
        Issuer::secret(SECRET).jwk(""),
        r#"{"kty":"RSA","n":"AQAB","e":"AQAB"}"#.into(),
        r#"{"kty":"RSA"}"#.into(),
        "7".into(),
        "{}".into(),
    ];
    for key in unusable {
        assert!(of(std::slice::from_ref(&key)).is_empty(), "{key}");
    }
    for text in ["", "[]", "{}", r#"{"keys":{}}"#, "<html>"] {
        assert!(matches!(KeySet::from_json(text.as_bytes()), Err(KeyError::NoSet)), "{text}");
    }
    let many: Vec<_> = (0..200).map(|_| edwards.jwk("")).collect();
    assert_eq!(of(&many).len(), 100);
}

#[test]
fn a_key_is_found_by_its_name_and_its_algorithm() {
    let (one, other) = (Issuer::rsa(), Issuer::rsa());
    let set = [one.jwk(r#""kid":"one","alg":"RS256""#), other.jwk(r#""kid":"two""#)];
    let set = [Arc::new(KeySet::from_json(key_set(&set).as_bytes()).unwrap())];
    let sessions = sessions(KeySet::default(), Rules::default());
    let check = |issuer: &Issuer, header: &str, is_good: bool| {
        let judged = sessions.check(&issuer.sign(header, "{}"), &set, 1, now());
        assert_eq!(judged.is_ok(), is_good, "{header}: {judged:?}");
    };
    check(&one, r#"{"alg":"RS256","kid":"one"}"#, true);
    check(&one, r#"{"alg":"RS256"}"#, true);
    check(&one, r#"{"alg":"RS256","kid":"two"}"#, false);
    check(&one, r#"{"alg":"RS256","kid":"../one' or 1=1"}"#, false);
    check(&one, r#"{"alg":"PS256","kid":"one"}"#, false);
    check(&other, r#"{"alg":"PS256","kid":"two"}"#, true);
    check(&other, r#"{"alg":"PS256","kid":"two","jku":"http://a.example","jwk":{}}"#, true);
}

#[test]
fn a_token_that_is_known_ends_with_its_time_and_with_its_key() {
    let issuer = Issuer::edwards();
    let set = [Arc::new(KeySet::from_json(key_set(&[issuer.jwk("")]).as_bytes()).unwrap())];
    let sessions = sessions(KeySet::default(), Rules::default());
    let token = issuer.token(&format!(r#"{{"exp":{}}}"#, NOW + 10));
    let after = |seconds: u64| now() + Duration::from_secs(seconds);
    assert!(sessions.check(&token, &set, 1, after(0)).is_ok());
    // Cached: the keys are not used.
    assert!(sessions.check(&token, &[], 1, after(9)).is_ok());
    assert_eq!(sessions.check(&token, &[], 1, after(10)).err(), Some(Refused::Expired));
    assert_eq!(sessions.check(&token, &[], 2, after(0)).err(), Some(Refused::NoKey));
}

#[test]
fn algorithms_may_be_fewer() {
    let rsa = Issuer::rsa();
    let keys = pem(&rsa).only_for(&[Algorithm::Ps256]);
    let sessions = sessions(keys, Rules::default());
    assert!(judge(&sessions, &rsa.sign(r#"{"alg":"PS256"}"#, "{}")).is_ok());
    assert!(judge(&sessions, &rsa.sign(r#"{"alg":"RS256"}"#, "{}")).is_err());
    assert!(pem(&rsa).only_for(&[Algorithm::Es256]).is_empty());
}

#[test]
fn a_file_without_a_usable_key_is_refused() {
    let short = Issuer::rsa().pem().replace("MIIB", "MIIC");
    for text in ["", "x", "-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----\n", &short] {
        assert!(Key::from_pem(text.as_bytes()).is_err(), "{text}");
    }
    let (one, two) = (Issuer::rsa().pem(), Issuer::edwards().pem());
    assert_eq!(Key::from_pem([one, two].concat().as_bytes()).unwrap().len(), 2);
}
