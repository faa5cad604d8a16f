export declare const SLEEPS: Readonly<Record<string, string>>;
export declare const SLEEPING: readonly string[];
