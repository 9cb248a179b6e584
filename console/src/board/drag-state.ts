/** Whether a card is being dragged: until it is dropped, nothing but the hand moves the board below it. */
export const drag = { isOn: false };
