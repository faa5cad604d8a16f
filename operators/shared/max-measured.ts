/** Parts of a channel estimate beyond this are no measurement; their powers and products may be no numbers. */
export const MAX_MEASURED = 1e30;
