import { afterAll, beforeAll } from 'vitest';
import type { TestOrganization } from '../../../test/support/organization.ts';
import { sharedSystem } from '../../../test/support/system.ts';
import { Scene } from './visitor.ts';

export interface Stage {
  readonly scene: Scene;
  /** Of the system that all test files share. */
  readonly baseUrl: string;
  /** Of this file alone. */
  readonly organization: TestOrganization;
}

/** What most test files need. It is ready once their `beforeAll` has run. */
export function openStage(): Stage {
  const scene = new Scene();
  const stage = { scene } as { scene: Scene; baseUrl: string; organization: TestOrganization };
  beforeAll(async () => {
    const system = await sharedSystem();
    stage.baseUrl = system.baseUrl;
    [stage.organization] = await Promise.all([system.newOrganization(), scene.start()]);
  });
  afterAll(() => scene.stop());
  return stage;
}
