import { signal } from '@preact/signals';
import { isAdmin } from '../state/session.js';
import { Configuration } from './configuration.js';
import { KeysPanel } from './keys.js';
import './settings.css';
import { UsersPanel } from './users.js';

const PARTS = { configuration: 'Configuration', accounts: 'Users and keys' } as const;

/** The part on display. */
export const part = signal<keyof typeof PARTS>('configuration');

/** What people set: the configuration of the deployment, users and keys. */
export function Settings() {
  const shown = isAdmin.value ? part.value : 'configuration';
  return (
    <>
      {isAdmin.value && (
        <div class="actions" role="group" aria-label="Settings">
          {(['configuration', 'accounts'] as const).map((one) => (
            <button key={one} type="button" aria-pressed={shown === one} onClick={() => (part.value = one)}>
              {PARTS[one]}
            </button>
          ))}
        </div>
      )}
      {shown === 'configuration' ? (
        <Configuration />
      ) : (
        <>
          <UsersPanel />
          <KeysPanel />
        </>
      )}
    </>
  );
}
