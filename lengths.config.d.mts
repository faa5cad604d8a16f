export declare const LONG_FILES: Readonly<Record<string, string>>;
export declare const LONG_FUNCTIONS: Readonly<Record<string, string>>;
