import { computed, effect, signal } from '@preact/signals';
import { errorText, ServiceError } from '../../../client/errors.js';
import { loadScene, room } from '../state/scene.js';
import { service, token } from '../state/session.js';
import { readDraft, type Draft } from './draft.js';
import { edited } from './yaml-edit.js';

async function fileOf(environment: string) {
  const path = { environment_id: environment };
  const { data } = await service().rest.GET('/environments/{environment_id}/file', { params: { path } });
  return data!.data;
}
export type EnvironmentFile = Awaited<ReturnType<typeof fileOf>>;

async function planOf({ environment_id: id, hash }: EnvironmentFile, text: string) {
  const { data } = await service().rest.POST('/environments/{environment_id}/plan', {
    params: { path: { environment_id: id } },
    body: { text, file_hash: hash },
  });
  return data!.data;
}
export type EnvironmentPlan = Awaited<ReturnType<typeof planOf>>;

/** The file as the service has it, and its text here. */
interface Editing {
  readonly file: EnvironmentFile;
  readonly text: string;
  readonly before: readonly string[];
  readonly after: readonly string[];
}

/** What is selected; links, zones and walls by their index. */
export type Selection =
  { readonly part: 'room' } | { readonly part: 'links' | 'zones' | 'walls'; readonly index: number };

/** Undone steps that are remembered. */
const STEPS = 100;

export const editing = signal<Editing | null>(null);
export const selection = signal<Selection>({ part: 'room' });
export const problem = signal('');
export const message = signal('');
/** A drag that has not ended. */
export const moving = signal<Draft | null>(null);
/** A checked plan that waits for a yes, with what it is a plan of. */
export const planned = signal<{
  readonly plan: EnvironmentPlan;
  readonly text: string;
  readonly file: EnvironmentFile;
} | null>(null);
/** The sender of a link to be added as soon as the file is read. */
export const wantedSender = signal<string | null>(null);
/** The service is asked to check or save. */
export const isBusy = signal(false);
/** Changes of rooms that another one was chosen over, by environment. */
const left = new Map<string, Editing>();
/** Somebody else changed the file. */
export const isOvertaken = signal(false);

const written = computed<{ readonly draft: Draft | null; readonly problem: string }>(() => {
  if (!editing.value) return { draft: null, problem: '' };
  try {
    return { draft: readDraft(editing.value.text), problem: '' };
  } catch (error) {
    return { draft: null, problem: errorText(error) };
  }
});

export const unreadable = computed(() => written.value.problem);
/** Without a drag that has not ended. */
export const committed = computed(() => written.value.draft);
/** What is drawn. */
export const draft = computed(() => moving.value ?? written.value.draft);
export const isChanged = computed(
  () => editing.value !== null && editing.value.text !== editing.value.file.text,
);

/** Reads the file of the room, unless it is being edited already. */
export async function open(again = false): Promise<void> {
  const id = room.value?.id;
  if (id === undefined || (!again && editing.peek()?.file.environment_id === id)) return;
  leave(id);
  problem.value = '';
  const here = left.get(id);
  left.delete(id);
  if (here && !again) {
    editing.value = here;
    return;
  }
  try {
    const file = await fileOf(id);
    if (room.peek()?.id !== id) return;
    editing.value = { file, text: file.text, before: [], after: [] };
    selection.value = { part: 'room' };
    isOvertaken.value = false;
  } catch (error) {
    if (room.peek()?.id !== id) return;
    editing.value = null;
    problem.value = errorText(error);
  }
}

/** Another room is chosen: nothing of this one is drawn any more, but its changes stay. */
function leave(next: string): void {
  const value = editing.peek();
  if (!value || value.file.environment_id === next) return;
  if (value.text !== value.file.text) left.set(value.file.environment_id, value);
  editing.value = moving.value = planned.value = null;
  selection.value = { part: 'room' };
}

effect(() => {
  if (token.value !== null) return;
  left.clear();
  editing.value = moving.value = planned.value = null;
});

/** The end of a change. @param next made of the objects of the draft, as far as they are unchanged */
export function change(next: Draft): void {
  const { value } = editing;
  const before = written.value.draft;
  moving.value = null;
  message.value = '';
  if (!value || !before) return;
  try {
    const text = edited(value.text, before, next);
    if (text === value.text) return;
    readDraft(text);
    editing.value = { ...value, text, before: [...value.before, value.text].slice(-STEPS), after: [] };
    problem.value = '';
  } catch (error) {
    problem.value = errorText(error);
  }
}

export function undo(): void {
  const { value } = editing;
  const text = value?.before.at(-1);
  if (!value || text === undefined) return;
  editing.value = { ...value, text, before: value.before.slice(0, -1), after: [value.text, ...value.after] };
  keepSelection();
}

export function redo(): void {
  const { value } = editing;
  const [text, ...after] = value?.after ?? [];
  if (!value || text === undefined) return;
  editing.value = { ...value, text, before: [...value.before, value.text], after };
  keepSelection();
}

/** What was selected may be gone. */
function keepSelection(): void {
  const { value } = selection;
  if (value.part === 'room') return;
  if ((draft.value?.[value.part]?.length ?? 0) <= value.index) selection.value = { part: 'room' };
}

export async function check(): Promise<void> {
  const { value } = editing;
  if (!value) return;
  const { file, text } = value;
  await asking(async () => {
    planned.value = { plan: await planOf(file, text), text, file };
  });
}

export async function save(): Promise<void> {
  const ready = planned.value;
  if (!ready) return;
  await asking(async () => {
    const { data } = await service().rest.POST('/environments/{environment_id}/apply', {
      params: { path: { environment_id: ready.file.environment_id } },
      body: { text: ready.text, file_hash: ready.file.hash, hash: ready.plan.hash },
    });
    const file = data!.data;
    const now = editing.peek();
    // Changes made since the plan stay, on top of what was saved.
    if (now?.file.environment_id === file.environment_id)
      editing.value =
        now.text === ready.text ? { file, text: file.text, before: [], after: [] } : { ...now, file };
    message.value = `Saved as ${file.file}. The topology ${file.topology} continues with it.`;
    await loadScene(token.peek());
  });
  planned.value = null;
}

async function asking(work: () => Promise<void>): Promise<void> {
  if (isBusy.peek()) return;
  isBusy.value = true;
  problem.value = '';
  message.value = '';
  try {
    await work();
  } catch (error) {
    problem.value = wordsOf(error);
    isOvertaken.value = error instanceof ServiceError && error.message.includes('was changed since');
  } finally {
    isBusy.value = false;
  }
}

/** An error with the lines of the file that it is about. */
function wordsOf(error: unknown): string {
  if (!(error instanceof ServiceError)) return errorText(error);
  const { field, reason } = error.details;
  const where = typeof field === 'string' && typeof reason === 'string' ? ` ${field}: ${reason}` : '';
  return error.message + where;
}
