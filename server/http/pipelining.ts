import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

type Arguments = Parameters<RequestListener>;

/**
 * Handles the requests of a connection one at a time. A client may send requests before it has the responses to earlier ones
 * (pipelining), and a single packet may contain thousands. Node would start to handle all of them before anything else, and
 * keep their responses until it is their turn.
 *
 * Requests that wait are not counted, because the connection is not read while there are any.
 */
export function handleInTurn(server: Server): void {
  const handlers = server.listeners('request') as RequestListener[];
  const handle = (...[request, response]: Arguments) => {
    for (const handler of handlers) handler.call(server, request, response);
  };
  const queues = new WeakMap<Socket, Queue>();
  server.removeAllListeners('request').on('request', (request, response) => {
    const { socket } = request;
    let queue = queues.get(socket);
    if (!queue) {
      queue = new Queue(socket, handle);
      queues.set(socket, queue);
    }
    queue.add(request, response);
  });
}

/** The requests of one connection. */
class Queue {
  readonly #socket: Socket;
  readonly #handle: (...request: Arguments) => void;
  readonly #waiting: Arguments[] = [];
  #isBusy = false;
  #isWatched = false;

  constructor(socket: Socket, handle: (...request: Arguments) => void) {
    this.#socket = socket;
    this.#handle = handle;
  }

  add(request: IncomingMessage, response: ServerResponse): void {
    if (this.#isBusy) {
      this.#waiting.push([request, response]);
      this.#pause();
    } else {
      this.#begin(request, response);
    }
  }

  #begin(...[request, response]: Arguments): void {
    this.#isBusy = true;
    response.once('close', () => this.#next());
    this.#handle(request, response);
  }

  #next(): void {
    this.#isBusy = this.#waiting.length > 0;
    if (!this.#isBusy) return;
    // Other connections get their turn: responses that are ready at once would otherwise follow each other without a pause.
    setImmediate(() => {
      if (this.#socket.destroyed) this.#waiting.length = 0;
      const next = this.#waiting.shift();
      if (!next) return;
      this.#begin(...next);
      if (this.#waiting.length === 0) this.#socket.resume();
    });
  }

  #pause(): void {
    this.#socket.pause();
    if (this.#isWatched) return;
    this.#isWatched = true;
    // Node resumes reading once a response has been sent.
    this.#socket.on('resume', () => {
      if (this.#waiting.length > 0) this.#socket.pause();
    });
  }
}
