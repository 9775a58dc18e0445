// The API of the package, over the classes of the native library.

import { createRequire } from "node:module";

const native = createRequire(import.meta.url)("./thalweg.node");

export class Thalweg {
  #native;

  constructor(opened) {
    if (!(opened instanceof native.Thalweg)) throw new TypeError("use Thalweg.open()");
    this.#native = opened;
  }

  static async open(options) {
    return new Thalweg(await native.Thalweg.open(options));
  }

  async execute({ signal, ...call }) {
    signal?.throwIfAborted();
    const execution = this.#native.prepare(call);
    if (!signal) return execution.answer();
    const cancel = () => execution.cancel();
    signal.addEventListener("abort", cancel, { once: true });
    try {
      return await execution.answer();
    } catch (error) {
      signal.throwIfAborted();
      throw error;
    } finally {
      signal.removeEventListener("abort", cancel);
    }
  }

  subscribe(call) {
    return new Responses(() => this.#native.subscribe(call));
  }

  schema(role) {
    return this.#native.schema(role);
  }

  async reload() {
    await this.#native.reload();
  }

  async close(patience = 10_000) {
    await this.#native.close(patience);
  }
}

// The responses of a subscription, which begins with the first call of `next()`. They are no generator: its
// `return()` would wait for the response for which `next()` waits.
class Responses {
  #begin;
  #begun;
  #subscription;
  #hasEnded = false;

  constructor(begin) {
    this.#begin = begin;
  }

  async next() {
    if (this.#hasEnded) return end();
    try {
      this.#begun ??= this.#begin();
      this.#subscription = await this.#begun;
      const body = this.#hasEnded ? null : await this.#subscription.next();
      if (body !== null && !this.#hasEnded) return { done: false, value: body };
    } catch (error) {
      this.#hasEnded = true;
      throw error;
    }
    // Once more: it may have been called before there was a subscription, or together with a response.
    return this.return();
  }

  async return() {
    this.#hasEnded = true;
    this.#subscription?.end();
    return end();
  }

  [Symbol.asyncIterator]() {
    return this;
  }
}

function end() {
  return { done: true, value: undefined };
}
