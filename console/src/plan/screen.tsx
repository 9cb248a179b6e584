import './plan.css';
import type { ScreenProps } from '../screen-props.ts';
import { Chooser } from './chooser.tsx';
import { PlanOf } from './plan-of.tsx';

/** The plan of an epic or a feature, or all of them to choose from. */
export function Screen({ params: { id } }: ScreenProps) {
  return id === undefined ? <Chooser /> : <PlanOf key={id} id={id} />;
}
