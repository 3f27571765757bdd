// Rules that were, for undo and redo.

export class History {
  #past = [];
  #at = -1;

  /** Begin anew with a rule. */
  reset(branches) {
    this.#past = [branches];
    this.#at = 0;
  }

  /** Add a rule after the present one; what was undone is gone. */
  push(branches) {
    this.#past = [...this.#past.slice(0, this.#at + 1), branches];
    this.#at += 1;
  }

  get canUndo() {
    return this.#at > 0;
  }

  get canRedo() {
    return this.#at < this.#past.length - 1;
  }

  undo() {
    this.#at -= 1;
    return this.#past[this.#at];
  }

  redo() {
    this.#at += 1;
    return this.#past[this.#at];
  }
}
