-- Functions that return the words of texts, as the searches of other sources read them. Indexes are
-- over them. They depend on their arguments only, and contain no class of a locale.

do $do$
declare
  folded text := 'lower(translate($1, ''İ'', ''i'')';
begin
  if not exists (
    select from pg_ts_dict where dictname = 'porter' and dictnamespace = 'thalweg'::regnamespace
  ) then
    create text search dictionary thalweg.porter (template = pg_catalog.snowball, language = porter);
  end if;
  -- The locale of the database may know small letters of ASCII only.
  if exists (select from pg_collation where collname = 'und-x-icu') then
    folded := folded || ' collate "und-x-icu"';
  end if;
  folded := folded || ')';
  if getdatabaseencoding() = 'UTF8' then
    folded := 'normalize(' || folded || ', nfkc)';
  end if;
  execute format(
    'create or replace function thalweg.folded(text) returns text
     language sql immutable strict parallel safe as %L',
    'select ' || folded
  );
end
$do$;

-- The words of a text in small letters, in their order.
create or replace function thalweg.words(text) returns text[]
language sql immutable strict parallel safe as $function$
  select coalesce(array_agg(thalweg.folded(found.parts[1]) order by found.place), '{}')
  from regexp_matches(
    $1,
    '[\u2e80-\u2fd5\u3005\u3007\u3021-\u3029\u3038-\u303b\u3041-\u3096\u309d-\u309f\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]|[\u3031-\u3035\u309b\u309c\u30a0-\u30fa\u30fc-\u30ff\u31f0-\u31ff\uff66-\uff9d]+|(?:[^\u0001-\u0040\u005b-\u0060\u007b-\u00a9\u00ab\u00ac\u00ae-\u00b4\u00b6-\u00b9\u00bb-\u00bf\u00d7\u00f7\u02c2-\u02c5\u02d2-\u02df\u037e\u0387\u055a-\u055f\u0589\u058a\u05be\u05c0\u05c3\u05c6\u05f4\u0600-\u060f\u061b\u061d-\u061f\u0660-\u066d\u06d4\u06f0-\u06f9\u0700-\u070d\u0964-\u0970\u0e4f\u0e5a\u0e5b\u1360-\u1368\u1680\u17d4-\u17da\u1800-\u180a\u2000-\u200b\u200e-\u2070\u2074-\u207e\u2080-\u208e\u20a0-\u20cf\u2116\u2117\u2120-\u2123\u2150-\u215f\u2190-\u24b5\u24ea-\u2bff\u2cf9-\u2cff\u2e00-\u303b\u303d-\u309f\u30a0-\u30ff\u3190-\u319f\u31c0-\u4dbf\u4e00-\u9fff\ua490-\ua4c6\ue000-\ufaff\ufd3e\ufd3f\ufe10-\ufe1f\ufe30-\ufe6f\uff00-\uff20\uff3b-\uff40\uff5b-\uff9f\uffe0-\uffff\U0001d100-\U0001d1ff\U0001f000-\U0001faff\U00020000-\U0003ffff\U000e0000-\U000e0fff](?:[''.:\u00b7\u0387\u05f4\u2018\u2019\u2024\u2027\uff07\uff0e\uff1a][^\u0001-\u0040\u005b-\u0060\u007b-\u00a9\u00ab\u00ac\u00ae-\u00b4\u00b6-\u00b9\u00bb-\u00bf\u00d7\u00f7\u02c2-\u02c5\u02d2-\u02df\u037e\u0387\u055a-\u055f\u0589\u058a\u05be\u05c0\u05c3\u05c6\u05f4\u0600-\u060f\u061b\u061d-\u061f\u0660-\u066d\u06d4\u06f0-\u06f9\u0700-\u070d\u0964-\u0970\u0e4f\u0e5a\u0e5b\u1360-\u1368\u1680\u17d4-\u17da\u1800-\u180a\u2000-\u200b\u200e-\u2070\u2074-\u207e\u2080-\u208e\u20a0-\u20cf\u2116\u2117\u2120-\u2123\u2150-\u215f\u2190-\u24b5\u24ea-\u2bff\u2cf9-\u2cff\u2e00-\u303b\u303d-\u309f\u30a0-\u30ff\u3190-\u319f\u31c0-\u4dbf\u4e00-\u9fff\ua490-\ua4c6\ue000-\ufaff\ufd3e\ufd3f\ufe10-\ufe1f\ufe30-\ufe6f\uff00-\uff20\uff3b-\uff40\uff5b-\uff9f\uffe0-\uffff\U0001d100-\U0001d1ff\U0001f000-\U0001faff\U00020000-\U0003ffff\U000e0000-\U000e0fff])*|[0-9\u0660-\u0669\u06f0-\u06f9\u0966-\u096f\uff10-\uff19](?:[''.,;\u037e\u0589\u060c\u060d\u066c\u2018\u2019\u2024\u2044\uff07\uff0c\uff0e\uff1b][0-9\u0660-\u0669\u06f0-\u06f9\u0966-\u096f\uff10-\uff19])*|[_\u203f\u2040\uff3f])+',
    'g'
  ) with ordinality as found (parts, place)
$function$;

-- A text without characters has one empty word.
create or replace function thalweg.terms(text) returns text[]
language sql immutable strict parallel safe as $function$
  select case when $1 = '' then array[''] else thalweg.words($1) end
$function$;

-- The stem of a word in small letters. The dictionary follows Porter's article: by his own program
-- `bli` and `logi` become `ble` and `log`, and all doubled consonants become one.
create or replace function thalweg.stem(text) returns text
language sql immutable strict parallel safe as $function$
  select case when length($1) < 3 then $1 else (
    ts_lexize(
      'thalweg.porter',
      regexp_replace(
        regexp_replace(
          regexp_replace(
            $1,
            '^(.*(?:[aeiou]|[^aeiouy]y)[^aeiou].*bl)(?:y|i|ies|ys|is)$',
            '\1e'
          ),
          '^(.*(?:[aeiou]|[^aeiouy]y)[^aeiou].*log)(?:y|i|ies|ys|is)$',
          '\1'
        ),
        '^(.*[aeiouy].*([chjkqvwx]))\2(?:ed|ing)$',
        '\1'
      )
    )
  )[1] end
$function$;

-- The stems of the words of a text, in their order. Stop words have none.
create or replace function thalweg.stems(text) returns text[]
language sql immutable strict parallel safe as $function$
  select coalesce(array_agg(thalweg.stem(found.word) order by found.place), '{}')
  from unnest(thalweg.words($1)) with ordinality as found (word, place)
  where found.word <> all (
    array[
      'a', 'about', 'above', 'after', 'again', 'against', 'all', 'am', 'an', 'and', 'any', 'are',
      'aren''t', 'as', 'at', 'be', 'because', 'been', 'before', 'being', 'below', 'between',
      'both', 'but', 'by', 'can''t', 'cannot', 'could', 'couldn''t', 'did', 'didn''t', 'do',
      'does', 'doesn''t', 'doing', 'don''t', 'down', 'during', 'each', 'few', 'for', 'from',
      'further', 'had', 'hadn''t', 'has', 'hasn''t', 'have', 'haven''t', 'having', 'he', 'he''d',
      'he''ll', 'he''s', 'her', 'here', 'here''s', 'hers', 'herself', 'him', 'himself', 'his',
      'how', 'how''s', 'i', 'i''d', 'i''ll', 'i''m', 'i''ve', 'if', 'in', 'into', 'is', 'isn''t',
      'it', 'it''s', 'its', 'itself', 'let''s', 'me', 'more', 'most', 'mustn''t', 'my', 'myself',
      'no', 'nor', 'not', 'of', 'off', 'on', 'once', 'only', 'or', 'other', 'ought', 'our',
      'ours', 'ourselves', 'out', 'over', 'own', 'same', 'shan''t', 'she', 'she''d', 'she''ll',
      'she''s', 'should', 'shouldn''t', 'so', 'some', 'such', 'than', 'that', 'that''s', 'the',
      'their', 'theirs', 'them', 'themselves', 'then', 'there', 'there''s', 'these', 'they',
      'they''d', 'they''ll', 'they''re', 'they''ve', 'this', 'those', 'through', 'to', 'too',
      'under', 'until', 'up', 'very', 'was', 'wasn''t', 'we', 'we''d', 'we''ll', 'we''re',
      'we''ve', 'were', 'weren''t', 'what', 'what''s', 'when', 'when''s', 'where', 'where''s',
      'which', 'while', 'who', 'who''s', 'whom', 'why', 'why''s', 'with', 'won''t', 'would',
      'wouldn''t', 'you', 'you''d', 'you''ll', 'you''re', 'you''ve', 'your', 'yours', 'yourself',
      'yourselves'
    ]
  )
$function$;

-- Sequences of up to three stems, with spaces between them.
create or replace function thalweg.stem_sequences(text) returns text[]
language sql immutable strict parallel safe as $function$
  select coalesce(array_agg(sequence.words), '{}')
  from thalweg.stems($1) as own (stems)
  cross join generate_series(1, cardinality(own.stems)) as first (place)
  cross join generate_series(0, 2) as more (number)
  cross join lateral (
    select array_to_string(own.stems[first.place:first.place + more.number], ' ')
  ) as sequence (words)
  where first.place + more.number <= cardinality(own.stems)
$function$;
