declare module 'samlp' {
  import type { IncomingMessage, ServerResponse } from 'node:http';

  interface Options {
    issuer: string;
    cert: string;
    key: string;
    /** The URL that the response is posted to. */
    getPostURL(
      audience: string,
      request: unknown,
      incoming: IncomingMessage,
      callback: (error: Error | null, url: string) => void,
    ): void;
    getUserFromRequest(incoming: IncomingMessage): object;
    signResponse?: boolean;
    lifetimeInSeconds?: number;
    destination: string;
    recipient: string;
  }

  const samlp: {
    parseRequest(
      request: IncomingMessage & { query: object },
      callback: (error: Error | null, data?: { assertionConsumerServiceURL?: string }) => void,
    ): void;
    auth(options: Options): (
      request: IncomingMessage & { query: object },
      response: ServerResponse & {
        set(name: string, value: string): void;
        send(body: string | number): void;
      },
      next: (error: Error) => void,
    ) => void;
  };
  export default samlp;
}
