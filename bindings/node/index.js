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

  async *subscribe(call) {
    const subscription = await this.#native.subscribe(call);
    try {
      for (;;) {
        const response = await subscription.next();
        if (response === null) return;
        yield response;
      }
    } finally {
      subscription.end();
    }
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
