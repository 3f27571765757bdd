// Rules that were, for undo and redo.

export class History {
  #past = [];
  #at = -1;

  /** Begin anew with a rule. */
  reset(rules) {
    this.#past = [rules];
    this.#at = 0;
  }

  /** Add a rule after the present one; what was undone is gone. */
  push(rules) {
    this.#past = [...this.#past.slice(0, this.#at + 1), rules];
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
