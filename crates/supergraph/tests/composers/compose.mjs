// Composes subgraphs with two other composers.
//
// Standard input is a list of { subgraphs: [{ name, url, sdl }], supergraph? }; the output is a list
// of { apollo, guild, given }, each { errors, hints, places, api }: the sorted codes, the places of
// the errors, and the sorted lines of the API schema. `given` is what Apollo's gateway reads in the
// given supergraph.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

const require = createRequire(process.argv[2] + '/');
const { composeServices } = require('@apollo/composition');
const { Supergraph, ROUTER_SUPPORTED_SUPERGRAPH_FEATURES } = require('@apollo/federation-internals');
const guild = require('@theguild/federation-composition');
const { parse, isIntrospectionType, isSpecifiedDirective, isSpecifiedScalarType } = require('graphql');

const FAILED = 'FAILED';
const OPTIONS = { supportedFeatures: ROUTER_SUPPORTED_SUPERGRAPH_FEATURES, validateSupergraph: true };

function run(compose, subgraphs) {
  try {
    const parsed = subgraphs.map(({ name, url, sdl }) => ({ name, url, typeDefs: parse(sdl) }));
    const { errors = [], hints = [], supergraphSdl } = compose(parsed);
    const result = {
      errors: codes(errors.map(error => error.extensions?.code ?? FAILED)),
      hints: codes(hints.map(hint => hint.definition.code)),
      places: errors.map(error => (error.nodes ?? []).map(place)),
    };
    return supergraphSdl ? { ...read(supergraphSdl), ...result } : result;
  } catch (error) {
    return { errors: [FAILED], hints: [], message: String(error.message) };
  }
}

function read(supergraph) {
  try {
    return { api: lines(Supergraph.build(supergraph, OPTIONS).apiSchema().toGraphQLJSSchema()) };
  } catch (error) {
    return { errors: [FAILED], message: String(error.message) };
  }
}

const codes = all => [...new Set(all)].sort();

const place = node => {
  const { line = 0, column = 0 } = node.loc?.startToken ?? {};
  return `${node.subgraph ?? ''}:${line}:${column}`;
};

function lines(schema) {
  const found = [];
  const input = ({ name, type, astNode, deprecationReason, defaultValue }) =>
    `${name}: ${type}${defaultValue === undefined ? '' : ' = ' + JSON.stringify(defaultValue)}` +
    (deprecationReason == null ? '' : ` @deprecated(${deprecationReason})`);
  const inputs = all => all.map(input).sort().join(', ');
  for (const type of Object.values(schema.getTypeMap())) {
    if (isIntrospectionType(type) || isSpecifiedScalarType(type)) continue;
    const kind = type.constructor.name.replace('GraphQL', '').replace('Type', '');
    found.push(`${kind} ${type.name}`);
    for (const one of type.getInterfaces?.() ?? []) found.push(`${type.name} implements ${one.name}`);
    for (const one of type.getTypes?.() ?? []) found.push(`${type.name} = ${one.name}`);
    for (const one of type.getValues?.() ?? []) found.push(`${type.name}.${one.name} ${one.deprecationReason ?? ''}`);
    for (const one of Object.values(type.getFields?.() ?? {})) {
      const text = one.args ? `${one.name}(${inputs(one.args)}): ${one.type} ${one.deprecationReason ?? ''}` : input(one);
      found.push(`${type.name}.${text}`);
    }
  }
  for (const directive of schema.getDirectives()) {
    if (isSpecifiedDirective(directive) || directive.name === 'defer' || directive.name === 'stream') continue;
    const repeatable = directive.isRepeatable ? ' repeatable' : '';
    const locations = [...directive.locations].sort().join(' | ');
    found.push(`@${directive.name}(${inputs(directive.args)})${repeatable} on ${locations}`);
  }
  return found.sort();
}

const results = JSON.parse(readFileSync(0, 'utf8')).map(({ subgraphs, supergraph }) => ({
  apollo: run(composeServices, subgraphs),
  guild: run(guild.composeServices, subgraphs),
  given: supergraph == null ? null : read(supergraph),
}));
process.stdout.write(JSON.stringify(results));
