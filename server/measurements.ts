import type { MeasuredWork, Measurements } from '../routers/base/ports.ts';

type Observer = (work: MeasuredWork, seconds: number) => void;

/** Measurements of the work of this process, for those who observe it. */
export interface ObservableMeasurements extends Measurements {
  observe(observer: Observer): void;
}

export function createMeasurements(): ObservableMeasurements {
  const observers: Observer[] = [];
  return {
    record(work, seconds) {
      for (const observer of observers) observer(work, seconds);
    },
    observe: (observer) => void observers.push(observer),
  };
}
