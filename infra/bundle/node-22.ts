/* Node 22 lacks this global. esbuild inserts the class where the npm package uses the global. */

class Stack implements AsyncDisposableStack {
  #releases: (() => unknown)[] = [];
  disposed = false;
  readonly [Symbol.toStringTag] = "AsyncDisposableStack";

  use<Resource extends AsyncDisposable | Disposable | null | undefined>(resource: Resource): Resource {
    if (resource)
      this.defer(async () =>
        Symbol.asyncDispose in resource ? resource[Symbol.asyncDispose]() : resource[Symbol.dispose](),
      );
    return resource;
  }

  adopt<Resource>(resource: Resource, release: (resource: Resource) => PromiseLike<void> | void): Resource {
    this.defer(() => release(resource));
    return resource;
  }

  defer(release: () => PromiseLike<void> | void): void {
    this.#releases.push(release);
  }

  move(): Stack {
    const moved = new Stack();
    moved.#releases = this.#releases.splice(0);
    this.disposed = true;
    return moved;
  }

  async disposeAsync(): Promise<void> {
    this.disposed = true;
    const errors: unknown[] = [];
    for (let release = this.#releases.pop(); release; release = this.#releases.pop())
      try {
        await release();
      } catch (error) {
        errors.push(error);
      }
    if (errors.length > 0) throw errors.length === 1 ? errors[0] : new AggregateError(errors);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.disposeAsync();
  }
}

/** Node's own class, or a replacement if Node has none. */
export const AsyncDisposableStack: AsyncDisposableStackConstructor = globalThis.AsyncDisposableStack ?? Stack;
