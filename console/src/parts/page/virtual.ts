import {
  elementScroll,
  observeElementOffset,
  observeElementRect,
  type VirtualItem,
  Virtualizer,
} from '@tanstack/virtual-core';
import { useEffect, useLayoutEffect, useReducer, useRef, useState } from 'preact/hooks';

interface VirtualOptions {
  readonly scroller: () => HTMLElement | null;
  readonly count: number;
  /** The approximate height of an entry, until it is measured. */
  readonly estimatePx: number;
  readonly gapPx: number;
  /** Of a long list, the same function as long as the keys are the same: they are asked for again with each other one. */
  readonly keyOf: (index: number) => string;
  /** The height of what stays at the top of the scroller, above the entries. */
  readonly headPx?: number;
  /** How many are drawn on either side of those in view. */
  readonly overscan?: number;
  /** It has entries only while it is. */
  readonly isEnabled?: boolean;
}

interface VirtualList {
  readonly entries: readonly VirtualItem[];
  /** Of all entries together. */
  readonly heightPx: number;
  /** The `ref` of an entry, which has `data-index`. */
  readonly measure: (element: Element | null) => void;
  scrollTo(index: number): void;
}

/** The entries of a long list that are in view, and some around them: only these are rendered. */
export function useVirtual({ headPx = 0, overscan = 6, isEnabled = true, ...given }: VirtualOptions): VirtualList {
  const { scroller, count, estimatePx, gapPx, keyOf } = given;
  const [, redraw] = useReducer<number, void>((times) => times + 1, 0);
  const options = {
    count,
    getScrollElement: scroller,
    estimateSize: () => estimatePx,
    getItemKey: keyOf,
    gap: gapPx,
    overscan,
    enabled: isEnabled,
    scrollPaddingEnd: headPx,
    observeElementRect,
    observeElementOffset,
    scrollToFn: elementScroll,
    onChange: () => redraw(),
  };
  const [virtualizer] = useState(() => new Virtualizer<HTMLElement, Element>(options));
  virtualizer.setOptions(options);
  useEffect(() => virtualizer._didMount(), [virtualizer]);
  useLayoutEffect(() => virtualizer._willUpdate());
  return {
    entries: virtualizer.getVirtualItems(),
    heightPx: virtualizer.getTotalSize(),
    measure: virtualizer.measureElement,
    scrollTo: (index) => virtualizer.scrollToIndex(index),
  };
}

/** Which of what is drawn Tab reaches first: the same one for as long as it is drawn, since another would be two more to render whenever one scrolls by. */
export function useFirstDrawn(keys: readonly string[]): string | undefined {
  const first = useRef<string>(undefined);
  if (first.current === undefined || !keys.includes(first.current)) [first.current] = keys;
  return first.current;
}
