create table plan(id int primary key, name text not null, price numeric(8,2));
create table company(id int primary key, name text not null, plan_id int, created_at timestamptz default now());
create table campaign(company_id int not null, id int not null, name text, budget numeric(10,2), state text, primary key(company_id, id));
create table ad(company_id int not null, id int not null, campaign_id int not null, title text, clicks bigint default 0, tags text[], meta jsonb, primary key(company_id, id));
create index on ad(company_id, campaign_id);
create index on company(plan_id);

do $$ begin if exists (select from pg_extension where extname = 'citus') then
  perform create_reference_table('plan');
  perform create_distributed_table('company', 'id');
  perform create_distributed_table('campaign', 'company_id', colocate_with => 'company');
  perform create_distributed_table('ad', 'company_id', colocate_with => 'company');
end if; end $$;

alter table company add foreign key(plan_id) references plan(id);

alter table campaign add foreign key(company_id) references company(id);

alter table ad add foreign key(company_id, campaign_id) references campaign(company_id, id);

insert into plan select g, 'plan '||g, g*9.99 from generate_series(1, 5) g;

insert into company select g, 'company '||g, 1+g%5, '2026-01-01'::timestamptz+g*interval '1 h' from generate_series(1, 500) g;

insert into campaign select c, k, 'campaign '||c||'/'||k, c*k, case when k%2=0 then 'live' else 'off' end from generate_series(1, 500) c, generate_series(1, 8) k;

insert into ad select c, k*10+a, k, 'ad '||a, (c*a)%97, array['x','y'||a], jsonb_build_object('a',a) from generate_series(1, 500) c, generate_series(1, 8) k, generate_series(1, 6) a;

analyze;
