import { combine } from '@atlaskit/pragmatic-drag-and-drop/combine';
import {
  draggable,
  dropTargetForElements,
  monitorForElements,
} from '@atlaskit/pragmatic-drag-and-drop/element/adapter';
import { autoScrollForElements } from '@atlaskit/pragmatic-drag-and-drop-auto-scroll/element';
import { selectByDrag } from '../views/selection/band.ts';
import { isDragging } from './drag-state.ts';

// Atlassian's own, of Jira and Trello: it builds upon the browser's dragging, so that a long press drags on a phone as well.

/** Of the card below the dragged one: where it would be dropped. */
export type Edge = 'before' | 'after';

interface CardCalls {
  readonly onStart: (id: string) => void;
  /** `undefined`: no card is above it any more. */
  readonly onEdge: (edge: Edge | undefined) => void;
}

/** A card that can be dragged, and above or below which others are dropped. */
export function card(element: HTMLElement, id: string, { onStart, onEdge }: CardCalls): () => void {
  return combine(
    draggable({ element, getInitialData: () => ({ cardId: id }), onDragStart: () => onStart(id) }),
    dropTargetForElements({
      element,
      canDrop: ({ source }) => source.data.cardId !== undefined && source.data.cardId !== id,
      getData: ({ input, element: target }) => ({ cardId: id, edge: edgeAt(input.clientY, target) }),
      onDrag: ({ self }) => onEdge(self.data.edge as Edge),
      onDragLeave: () => onEdge(undefined),
      onDrop: () => onEdge(undefined),
    }),
  );
}

interface ColumnCalls {
  readonly onOver: (isOver: boolean) => void;
  /** @param over the card at which it was dropped; absent: at the end */
  readonly onDrop: (cardId: string, over?: { readonly cardId: string; readonly edge: Edge }) => void;
}

/** The list of a column, which takes cards and scrolls when one is held near its edge. */
export function column(element: HTMLElement, { onOver, onDrop }: ColumnCalls): () => void {
  return combine(
    autoScrollForElements({ element, canScroll: isCard }),
    dropTargetForElements({
      element,
      canDrop: isCard,
      onDragEnter: () => onOver(true),
      onDragLeave: () => onOver(false),
      onDrop: ({ source, location }) => {
        onOver(false);
        const over = location.current.dropTargets.find(({ data }) => data.cardId !== undefined)?.data;
        onDrop(String(source.data.cardId), over && { cardId: String(over.cardId), edge: over.edge as Edge });
      },
    }),
  );
}

/**
 * The board scrolls when a card is held near its edge: sideways, and with lanes also up and down. A drag that starts between the cards selects those that it
 * touches.
 */
export function board(element: HTMLElement): () => void {
  const end = () => {
    isDragging.value = false;
  };
  return combine(
    // The card itself is not told of the drop once it has been moved elsewhere.
    monitorForElements({
      onDragStart: () => {
        isDragging.value = true;
      },
      onDrop: end,
    }),
    end,
    autoScrollForElements({ element, canScroll: isCard }),
    selectByDrag(element, { items: '[data-card]', idOf: ({ dataset }) => dataset.card, beginsAtItems: false }),
  );
}

const isCard = ({ source }: { readonly source: { readonly data: Record<string, unknown> } }) =>
  source.data.cardId !== undefined;

function edgeAt(clientY: number, element: Element): Edge {
  const { top, height } = element.getBoundingClientRect();
  return clientY < top + height / 2 ? 'before' : 'after';
}
