import type { Project } from '../../parts/project.ts';

/** How far along the sample is; an interruption, in whichever browser, leaves it like that. */
export type SampleState = 'making' | 'made' | 'removing';

const MARK = /^worktrack-sample: (making|made|removing)$/m;

/** The last line of the description marks a project as the sample. It is in the service, not in a browser: everybody sees and removes the same one. */
export function sampleState({ description }: Pick<Project, 'description'>): SampleState | undefined {
  return MARK.exec(description)?.[1] as SampleState | undefined;
}

export function isSample(project: Project): boolean {
  return sampleState(project) !== undefined;
}

export function described(text: string, state: SampleState): string {
  return `${text}\n\nworktrack-sample: ${state}`;
}

/** The source that the sample's feedback comes from: only in this project, so that nobody's own is mistaken for it. */
export function sampleSource(projectId: string): string {
  return `sample ${projectId}`;
}
