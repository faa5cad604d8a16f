/** The two forms of the service interface: A answers bare payloads, B wraps them in an envelope. */
export type Form = 'a' | 'b';
