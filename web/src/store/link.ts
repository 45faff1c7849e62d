/** The WebSocket to the server: it comes back by itself, ever more patiently, and says when it is away. */
import { signal } from "@preact/signals";
import { ApiError } from "../api";
import type { Answer, Request, SearchRequest } from "./messages";

const FIRST_WAIT = 400;
const LONGEST_WAIT = 8000;

/** Whether the server answers. It is believed to at first, so that nothing flashes while the page loads. */
export const online = signal(true);
/** Counts connections: what must be asked again after the server was away depends on it. */
export const connections = signal(0);

type Listener = { answer: (answer: Answer) => void; error: (error: ApiError) => void };

let socket: WebSocket | null = null;
let wait = FIRST_WAIT;
let timer: ReturnType<typeof setTimeout> | undefined;
let last = 0;
let listening: { id: string; listener: Listener } | null = null;

export function connect(): void {
  clearTimeout(timer);
  const address = new URL("api/search", document.baseURI);
  address.protocol = address.protocol.replace("http", "ws");
  address.hash = "";
  socket = new WebSocket(address);
  socket.onopen = () => {
    wait = FIRST_WAIT;
    online.value = true;
    connections.value++;
  };
  socket.onmessage = (event) => hear(JSON.parse(String(event.data)) as Answer);
  socket.onclose = lost;
}

/** Called when an ordinary request got no answer either: the next try comes at once. */
export function noticeAbsence(): void {
  if (socket?.readyState === WebSocket.OPEN) socket.close();
}

function lost(): void {
  socket = null;
  online.value = false;
  timer = setTimeout(connect, wait * (0.8 + 0.4 * Math.random()));
  wait = Math.min(LONGEST_WAIT, 2 * wait);
}

export function retryNow(): void {
  wait = FIRST_WAIT;
  if (!socket) connect();
}

function hear(answer: Answer): void {
  if (answer.id !== listening?.id) return;
  if (answer.type === "error") {
    listening.listener.error(new ApiError(answer.error.code, answer.error.message, answer.error.params));
  } else listening.listener.answer(answer);
}

function send(message: Request): boolean {
  if (socket?.readyState !== WebSocket.OPEN) return false;
  socket.send(JSON.stringify(message));
  return true;
}

/** Begins a search or a review; the one before ends. Returns its id, or null while the server is away. */
export function begin(request: Omit<SearchRequest, "id">, listener: Listener): string | null {
  const id = `s${++last}`;
  listening = { id, listener };
  return send({ ...request, id }) ? id : null;
}

/** Says something more about the search that is under way. */
export function tell(message: Exclude<Request, SearchRequest>): boolean {
  return message.id === listening?.id && send(message);
}

/** The id of the search that the server keeps for this page. */
export const current = (): string | null => listening?.id ?? null;

/** Ends a search and hears no more of it. */
export function end(id: string | null): void {
  if (id === null || id !== listening?.id) return;
  send({ type: "stop", id });
  listening = null;
}
