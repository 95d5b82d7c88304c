// The dashboard against the catalogue of metrics: whatever it asks for exists, with the labels it groups by, and
// no metric is left out.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { METRICS } from '../../src/metrics/catalogue.ts';

interface Target {
  readonly expr: string;
  readonly legendFormat: string;
}
interface Panel {
  readonly id: number;
  readonly type: string;
  readonly title: string;
  readonly description?: string;
  readonly gridPos: { readonly h: number; readonly w: number; readonly x: number; readonly y: number };
  readonly targets?: readonly Target[];
}
interface Dashboard {
  readonly panels: readonly Panel[];
  readonly annotations: { readonly list: readonly { readonly expr: string }[] };
}

const FILE = join(import.meta.dirname, '..', '..', 'deploy', 'grafana', 'tablegate.json');
const text = readFileSync(FILE, 'utf8');
const dashboard = JSON.parse(text) as Dashboard;
const targets = dashboard.panels.flatMap(({ targets = [] }) => targets);
const expressions = [...targets, ...dashboard.annotations.list].map(({ expr }) => expr);

const LABELS: Readonly<Record<string, readonly string[]>> = {
  tablegate_http_requests_total: ['route', 'status'],
  tablegate_http_request_duration_seconds: ['route'],
  tablegate_http_response_bytes_total: ['route'],
  tablegate_waits_total: ['end'],
  tablegate_errors_total: ['code'],
  tablegate_runs_total: ['job', 'outcome'],
  tablegate_statements_total: ['engine', 'reason'],
  tablegate_cache_requests_total: ['state'],
  tablegate_lane_serving: ['lane'],
  tablegate_lane_running: ['lane'],
  tablegate_lane_queued: ['lane'],
  tablegate_lane_starts_total: ['lane'],
  tablegate_lane_deaths_total: ['lane'],
  tablegate_lane_kills_total: ['lane'],
  tablegate_lane_resident_memory_bytes: ['lane'],
  tablegate_remote_errors_total: ['kind'],
  tablegate_rate_limit_decisions_total: ['decision'],
  tablegate_snapshot_info: ['id'],
  tablegate_freshness_info: ['state'],
  tablegate_front_scraped: ['process'],
  tablegate_build_info: ['version', 'commit'],
};

/** Metric names, with what a histogram's samples add to theirs taken off. */
function namesIn(expression: string): string[] {
  const names = expression.match(/\b(?:tablegate|process|nodejs)_[a-z0-9_]+/g) ?? [];
  return names.map((name) => {
    const base = name.replace(/_(bucket|sum|count)$/, '');
    const isHistogram = (METRICS as Record<string, { type: string }>)[base]?.type === 'histogram';
    return isHistogram ? base : name;
  });
}

test('every metric that the dashboard names exists', () => {
  const names = expressions.flatMap(namesIn);
  assert.ok(names.length > 30);
  for (const name of names) assert.ok(name in METRICS, name);
});

test('every metric that an alert asks for exists', () => {
  const alerts = readFileSync(join(FILE, '..', '..', 'prometheus', 'alerts.yaml'), 'utf8');
  const asked = alerts.match(/^ +expr: .*$/gm) ?? [];
  assert.ok(asked.length >= 5);
  for (const name of asked.flatMap(namesIn)) assert.ok(name in METRICS, name);
});

test('every metric is on the dashboard', () => {
  const names = new Set(expressions.flatMap(namesIn));
  for (const name of Object.keys(METRICS)) assert.ok(names.has(name), name);
});

test('labels that are grouped by, chosen or shown are those of the metric', () => {
  for (const { expr, legendFormat } of targets) {
    const known = new Set(['le', 'job', 'instance', ...namesIn(expr).flatMap((name) => LABELS[name] ?? [])]);
    const groups = [...expr.matchAll(/\bby \(([^)]*)\)/g)].flatMap(([, list = '']) => list.split(', '));
    const chosen = [...expr.matchAll(/([a-z_]+)=~?"/g)].map(([, label = '']) => label);
    const shown = [...legendFormat.matchAll(/\{\{(\w+)\}\}/g)].map(([, label = '']) => label);
    for (const label of [...groups, ...chosen, ...shown]) assert.ok(known.has(label), `${label} of ${expr}`);
  }
});

test('counters are asked for by their rise, histograms by their buckets', () => {
  for (const expr of expressions)
    for (const name of namesIn(expr)) {
      const { type } = METRICS[name as keyof typeof METRICS];
      if (type === 'counter') assert.match(expr, new RegExp(`(rate|increase)\\(${name}\\{`), expr);
      if (type === 'histogram') assert.match(expr, `${name}_bucket`, expr);
    }
});

test('panels have ids, titles and descriptions, lie beside each other and in the width', () => {
  const taken = new Set<string>();
  assert.is(new Set(dashboard.panels.map(({ id }) => id)).size, dashboard.panels.length);
  for (const { type, title, description, gridPos } of dashboard.panels) {
    assert.ok(title.length > 2);
    if (type !== 'row') assert.match(description ?? '', /\.$/, title);
    for (let x = gridPos.x; x < gridPos.x + gridPos.w; x++)
      for (let y = gridPos.y; y < gridPos.y + gridPos.h; y++) {
        assert.ok(x < 24 && !taken.has(`${x},${y}`), title);
        taken.add(`${x},${y}`);
      }
  }
});

test.run();
