-- Conditions on places in GeoJSON, as other sources compute them: on a sphere, by unit vectors. The
-- statements have the order of the functions of `source::geo`, so that both round alike.

-- The areas of a place, one after the other: the number of vertices, and their vectors,
-- counter-clockwise. A point is an area of one vertex. Null for anything else.
create or replace function thalweg.geo_areas(place jsonb) returns float8[]
language plpgsql immutable strict parallel safe as $function$
declare
  polygons jsonb;
  ring jsonb;
  spot jsonb;
  numbers float8[] := '{}';
  vectors float8[];
  middle float8[];
  area float8[];
  n int;
  a int;
  b int;
  longitude float8;
  latitude float8;
begin
  case place ->> 'type'
    when 'Point' then
      longitude := radians((place #>> '{coordinates,0}')::float8);
      latitude := radians((place #>> '{coordinates,1}')::float8);
      return array[1, cos(latitude) * cos(longitude), cos(latitude) * sin(longitude), sin(latitude)];
    when 'Polygon' then polygons := jsonb_build_array(place -> 'coordinates');
    when 'MultiPolygon' then polygons := place -> 'coordinates';
    else return null;
  end case;
  for ring in select own.value -> 0 from jsonb_array_elements(polygons) as own loop
    n := jsonb_array_length(ring) - 1;
    vectors := '{}';
    middle := array[0, 0, 0];
    area := array[0, 0, 0];
    for spot in
      select own.value from jsonb_array_elements(ring) with ordinality as own (value, place)
      where own.place <= n order by own.place
    loop
      longitude := radians((spot ->> 0)::float8);
      latitude := radians((spot ->> 1)::float8);
      vectors := vectors || array[
        cos(latitude) * cos(longitude), cos(latitude) * sin(longitude), sin(latitude)
      ];
    end loop;
    for i in 0..n - 1 loop
      a := 3 * i;
      b := 3 * ((i + 1) % n);
      middle := array[
        middle[1] + vectors[a + 1], middle[2] + vectors[a + 2], middle[3] + vectors[a + 3]
      ];
      area := array[
        area[1] + (vectors[a + 2] * vectors[b + 3] - vectors[a + 3] * vectors[b + 2]),
        area[2] + (vectors[a + 3] * vectors[b + 1] - vectors[a + 1] * vectors[b + 3]),
        area[3] + (vectors[a + 1] * vectors[b + 2] - vectors[a + 2] * vectors[b + 1])
      ];
    end loop;
    for i in 0..n - 1 loop
      a := 3 * i;
      if not vectors[a + 1] * middle[1] + vectors[a + 2] * middle[2] + vectors[a + 3] * middle[3] > 0
      then
        return null;
      end if;
    end loop;
    if area[1] * middle[1] + area[2] * middle[2] + area[3] * middle[3] < 0 then
      select array_agg(vectors[3 * i + own.part] order by i desc, own.part) into vectors
      from generate_series(0, n - 1) as i cross join generate_series(1, 3) as own (part);
    end if;
    numbers := numbers || n::float8 || vectors;
  end loop;
  return numbers;
end
$function$;

-- Whether a point is within the area whose number of vertices is at a place, or on its edges.
create or replace function thalweg.geo_has(
  areas float8[], place int, px float8, py float8, pz float8
) returns boolean
language plpgsql immutable strict parallel safe as $function$
declare
  n int := areas[place];
  turn float8 := 0;
  a int;
  b int;
  to_a float8;
  to_b float8;
  ax float8;
  ay float8;
  az float8;
  ex float8;
  ey float8;
  ez float8;
  sine float8;
  cosine float8;
begin
  for i in 0..n - 1 loop
    a := place + 3 * i;
    b := place + 3 * ((i + 1) % n);
    ax := areas[a + 1];
    ay := areas[a + 2];
    az := areas[a + 3];
    ex := areas[b + 1];
    ey := areas[b + 2];
    ez := areas[b + 3];
    if ax = px and ay = py and az = pz then
      return true;
    end if;
    to_a := ax * px + ay * py + az * pz;
    to_b := ex * px + ey * py + ez * pz;
    ax := ax - px * to_a;
    ay := ay - py * to_a;
    az := az - pz * to_a;
    ex := ex - px * to_b;
    ey := ey - py * to_b;
    ez := ez - pz * to_b;
    sine := px * (ay * ez - az * ey) + py * (az * ex - ax * ez) + pz * (ax * ey - ay * ex);
    cosine := ax * ex + ay * ey + az * ez;
    if cosine < 0 and abs(sine) <= 1e-9::float8 * -cosine and (to_a > 0 or to_b > 0) then
      return true;
    end if;
    turn := turn + atan2(sine, cosine);
  end loop;
  return turn > pi();
end
$function$;

-- Whether an edge of an area crosses an edge of another.
create or replace function thalweg.geo_crosses(
  areas float8[], place int, others float8[], other int
) returns boolean
language plpgsql immutable strict parallel safe as $function$
declare
  n int := areas[place];
  m int := others[other];
  a int;
  b int;
  c int;
  d int;
  side_c float8;
  normal float8[];
  across float8[];
begin
  for i in 0..n - 1 loop
    a := place + 3 * i;
    b := place + 3 * ((i + 1) % n);
    normal := array[
      areas[a + 2] * areas[b + 3] - areas[a + 3] * areas[b + 2],
      areas[a + 3] * areas[b + 1] - areas[a + 1] * areas[b + 3],
      areas[a + 1] * areas[b + 2] - areas[a + 2] * areas[b + 1]
    ];
    for j in 0..m - 1 loop
      c := other + 3 * j;
      d := other + 3 * ((j + 1) % m);
      side_c := -(normal[1] * others[c + 1] + normal[2] * others[c + 2] + normal[3] * others[c + 3]);
      if not side_c
        * (normal[1] * others[d + 1] + normal[2] * others[d + 2] + normal[3] * others[d + 3]) > 0
      then
        continue;
      end if;
      across := array[
        others[c + 2] * others[d + 3] - others[c + 3] * others[d + 2],
        others[c + 3] * others[d + 1] - others[c + 1] * others[d + 3],
        others[c + 1] * others[d + 2] - others[c + 2] * others[d + 1]
      ];
      if side_c
        * -(across[1] * areas[b + 1] + across[2] * areas[b + 2] + across[3] * areas[b + 3]) > 0
        and side_c
        * (across[1] * areas[a + 1] + across[2] * areas[a + 2] + across[3] * areas[a + 3]) > 0
      then
        return true;
      end if;
    end loop;
  end loop;
  return false;
end
$function$;

-- Whether all of another area, or a point, is within an area.
create or replace function thalweg.geo_has_area(
  areas float8[], place int, others float8[], other int
) returns boolean
language plpgsql immutable strict parallel safe as $function$
declare
  m int := others[other];
  c int;
  d int;
  x float8;
  y float8;
  z float8;
  length float8;
begin
  for j in 0..m - 1 loop
    c := other + 3 * j;
    d := other + 3 * ((j + 1) % m);
    if not thalweg.geo_has(areas, place, others[c + 1], others[c + 2], others[c + 3]) then
      return false;
    end if;
    if m > 1 then
      x := others[c + 1] + others[d + 1];
      y := others[c + 2] + others[d + 2];
      z := others[c + 3] + others[d + 3];
      length := sqrt(x * x + y * y + z * z);
      if not thalweg.geo_has(areas, place, x / length, y / length, z / length) then
        return false;
      end if;
    end if;
  end loop;
  return m = 1 or not thalweg.geo_crosses(areas, place, others, other);
end
$function$;

-- Whether two areas, or a point and an area, have a point in common.
create or replace function thalweg.geo_meets(
  areas float8[], place int, others float8[], other int
) returns boolean
language plpgsql immutable strict parallel safe as $function$
declare
  n int := areas[place];
  m int := others[other];
  a int;
begin
  for i in 0..n - 1 loop
    a := place + 3 * i;
    if thalweg.geo_has(others, other, areas[a + 1], areas[a + 2], areas[a + 3]) then
      return true;
    end if;
  end loop;
  if n = 1 then
    return false;
  end if;
  for j in 0..m - 1 loop
    a := other + 3 * j;
    if thalweg.geo_has(areas, place, others[a + 1], others[a + 2], others[a + 3]) then
      return true;
    end if;
  end loop;
  return thalweg.geo_crosses(areas, place, others, other);
end
$function$;

-- The places of the areas in their list.
create or replace function thalweg.geo_places(areas float8[]) returns setof int
language plpgsql immutable strict parallel safe as $function$
declare
  place int := 1;
begin
  while place <= cardinality(areas) loop
    return next place;
    place := place + 1 + 3 * areas[place]::int;
  end loop;
end
$function$;

-- The angle between two points.
create or replace function thalweg.geo_angle(
  ax float8, ay float8, az float8, ex float8, ey float8, ez float8
) returns float8
language sql immutable strict parallel safe as $function$
  select atan2(
    sqrt(
      (ay * ez - az * ey) * (ay * ez - az * ey)
      + (az * ex - ax * ez) * (az * ex - ax * ez)
      + (ax * ey - ay * ex) * (ax * ey - ay * ex)
    ),
    ax * ex + ay * ey + az * ez
  )
$function$;

-- Whether a part of a place is within an angle of a point: `wanted` has its vector and the angle.
create or replace function thalweg.geo_near(place jsonb, wanted float8[]) returns boolean
language plpgsql immutable strict parallel safe as $function$
declare
  areas float8[] := thalweg.geo_areas(place);
  px float8 := wanted[1];
  py float8 := wanted[2];
  pz float8 := wanted[3];
  own int;
  n int;
  a int;
  b int;
  ax float8;
  ay float8;
  az float8;
  ex float8;
  ey float8;
  ez float8;
  nx float8;
  ny float8;
  nz float8;
  distance float8;
begin
  if areas is null then
    return null;
  end if;
  for own in select thalweg.geo_places(areas) loop
    n := areas[own];
    if n = 1 then
      return thalweg.geo_angle(areas[own + 1], areas[own + 2], areas[own + 3], px, py, pz)
        <= wanted[4];
    end if;
    if thalweg.geo_has(areas, own, px, py, pz) then
      return true;
    end if;
    for i in 0..n - 1 loop
      a := own + 3 * i;
      b := own + 3 * ((i + 1) % n);
      ax := areas[a + 1];
      ay := areas[a + 2];
      az := areas[a + 3];
      ex := areas[b + 1];
      ey := areas[b + 2];
      ez := areas[b + 3];
      nx := ay * ez - az * ey;
      ny := az * ex - ax * ez;
      nz := ax * ey - ay * ex;
      if (ny * az - nz * ay) * px + (nz * ax - nx * az) * py + (nx * ay - ny * ax) * pz > 0
        and (ey * nz - ez * ny) * px + (ez * nx - ex * nz) * py + (ex * ny - ey * nx) * pz > 0
      then
        distance := asin(
          least(abs(nx * px + ny * py + nz * pz) / sqrt(nx * nx + ny * ny + nz * nz), 1)
        );
      else
        distance := least(
          thalweg.geo_angle(px, py, pz, ax, ay, az), thalweg.geo_angle(px, py, pz, ex, ey, ez)
        );
      end if;
      if distance <= wanted[4] then
        return true;
      end if;
    end loop;
  end loop;
  return false;
end
$function$;

-- Whether all of a place is within areas.
create or replace function thalweg.geo_within(place jsonb, wanted float8[]) returns boolean
language sql immutable strict parallel safe as $function$
  select not exists (
    select from thalweg.geo_places(own.areas) as part
    where not exists (
      select from thalweg.geo_places(wanted) as other
      where thalweg.geo_has_area(wanted, other, own.areas, part)
    )
  )
  from (select thalweg.geo_areas(place)) as own (areas)
  where own.areas is not null
$function$;

-- Whether all of areas, or of a point, is within a place. A point has nothing within it.
create or replace function thalweg.geo_contains(place jsonb, wanted float8[]) returns boolean
language sql immutable strict parallel safe as $function$
  select own.areas[1] > 1 and not exists (
    select from thalweg.geo_places(wanted) as other
    where not exists (
      select from thalweg.geo_places(own.areas) as part
      where thalweg.geo_has_area(own.areas, part, wanted, other)
    )
  )
  from (select thalweg.geo_areas(place)) as own (areas)
  where own.areas is not null
$function$;

-- Whether a place and areas have a point in common.
create or replace function thalweg.geo_intersects(place jsonb, wanted float8[]) returns boolean
language sql immutable strict parallel safe as $function$
  select exists (
    select
    from thalweg.geo_places(own.areas) as part
    cross join thalweg.geo_places(wanted) as other
    where thalweg.geo_meets(own.areas, part, wanted, other)
  )
  from (select thalweg.geo_areas(place)) as own (areas)
  where own.areas is not null
$function$;

-- A box of longitudes and latitudes around a place, for indexes. The edges of polygons are arcs, which
-- bulge towards the poles by less than the added degrees; a place that may lie over the antimeridian
-- or around a pole has the longitudes of all.
create or replace function thalweg.geo_box(place jsonb) returns box
language sql immutable strict parallel safe as $function$
  select case when own.east - own.west > 180
    then box(
      point(-180, greatest(own.south - own.bulge, -90)), point(180, least(own.north + own.bulge, 90))
    )
    else box(
      point(own.west, greatest(own.south - own.bulge, -90)),
      point(own.east, least(own.north + own.bulge, 90))
    )
  end
  from (
    select min(spot.x), max(spot.x), min(spot.y), max(spot.y),
      (max(spot.x) - min(spot.x)) * (max(spot.x) - min(spot.x)) / 360
    from jsonb_array_elements(
      case place ->> 'type'
        when 'Point' then jsonb_build_array(jsonb_build_array(jsonb_build_array(place -> 'coordinates')))
        when 'Polygon' then jsonb_build_array(place -> 'coordinates')
        when 'MultiPolygon' then place -> 'coordinates'
      end
    ) as polygon (rings)
    cross join jsonb_array_elements(polygon.rings -> 0) as position (pair)
    cross join lateral (
      select (position.pair ->> 0)::float8, (position.pair ->> 1)::float8
    ) as spot (x, y)
  ) as own (west, east, south, north, bulge)
  where own.west is not null
$function$;
