-- Distances of vectors, as other sources compute them. Vectors of other lengths have none.

create or replace function thalweg.vector_euclidean(one float8[], other float8[]) returns float8
language sql immutable strict parallel safe as $function$
  select case when cardinality(one) = cardinality(other) then
    sqrt(sum((pair.a - pair.b) * (pair.a - pair.b)))
  end
  from unnest(one, other) as pair (a, b)
$function$;

create or replace function thalweg.vector_dot(one float8[], other float8[]) returns float8
language sql immutable strict parallel safe as $function$
  select case when cardinality(one) = cardinality(other) then sum(pair.a * pair.b) end
  from unnest(one, other) as pair (a, b)
$function$;

create or replace function thalweg.vector_dot_product(one float8[], other float8[]) returns float8
language sql immutable strict parallel safe as $function$
  select 1 - thalweg.vector_dot(one, other)
$function$;

create or replace function thalweg.vector_cosine(one float8[], other float8[]) returns float8
language sql immutable strict parallel safe as $function$
  select 1 - thalweg.vector_dot(one, other)
    / nullif(sqrt(thalweg.vector_dot(one, one) * thalweg.vector_dot(other, other)), 0)
$function$;
