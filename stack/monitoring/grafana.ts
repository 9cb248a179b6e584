import type { Dashboard } from './panels.ts';

/** Grafana's grid has 24 columns. */
const WIDTH = 12;
const HEIGHT = 8;

/** A dashboard as Grafana imports it (https://grafana.com/docs/grafana/latest/dashboards/build-dashboards/view-dashboard-json-model/). */
export function grafanaJson({ file, title, panels }: Dashboard): object {
  const datasource = { type: 'prometheus', uid: '$datasource' };
  return {
    uid: `worktrack-${file}`,
    title,
    tags: ['worktrack'],
    editable: true,
    graphTooltip: 1,
    refresh: '30s',
    schemaVersion: 39,
    time: { from: 'now-3h', to: 'now' },
    timezone: 'browser',
    templating: { list: [{ name: 'datasource', label: 'Data source', type: 'datasource', query: 'prometheus' }] },
    panels: panels.map(({ question, unit, queries }, index) => ({
      id: index + 1,
      type: 'timeseries',
      title: question,
      datasource,
      gridPos: { x: (index % 2) * WIDTH, y: Math.floor(index / 2) * HEIGHT, w: WIDTH, h: HEIGHT },
      fieldConfig: { defaults: { unit, min: 0, custom: { fillOpacity: 8, showPoints: 'never' } }, overrides: [] },
      options: {
        legend: { displayMode: 'list', placement: 'bottom', showLegend: true },
        tooltip: { mode: 'multi', sort: 'desc' },
      },
      targets: Object.entries(queries).map(([legendFormat, expr], at) => ({
        refId: String.fromCharCode('A'.charCodeAt(0) + at),
        datasource,
        expr,
        legendFormat,
      })),
    })),
  };
}
