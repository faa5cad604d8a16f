import { ROLES, type Role } from './accounts.js';

interface RoleChoiceProps {
  readonly label: string;
  readonly role: Role;
  readonly choose: (role: Role) => void;
}

export function RoleChoice({ label, role, choose }: RoleChoiceProps) {
  return (
    <select
      aria-label={label}
      value={role}
      onChange={({ currentTarget: { value } }) => {
        choose(ROLES.find((one) => one === value)!);
      }}
    >
      {ROLES.map((one) => (
        <option key={one}>{one}</option>
      ))}
    </select>
  );
}
