package dev.oncebox.operate.web;

import dev.oncebox.config.ConfigException;
import dev.oncebox.config.EngineSettings.Secret;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The secret that changes are allowed with. One of our own making is kept, so that a restart asks nobody for a new one. */
final class AccessToken {

    private static final Set<PosixFilePermission> OWNER_ONLY = PosixFilePermissions.fromString("rw-------");
    private static final Pattern MADE = Pattern.compile("[0-9a-f]{64}");
    private static final int BYTES = 32;
    private static final String BEARER = "Bearer ";

    private final byte[] digest;

    AccessToken(Secret token) {
        this.digest = digest(token.value());
    }

    /**
     * The token of the settings, else that of the file, which is made when there is none that nobody else could read.
     *
     * @param file in a folder that exists
     */
    static AccessToken of(@Nullable Secret configured, Path file, SecureRandom random) {
        if (configured != null) {
            return new AccessToken(configured);
        }
        try {
            String kept = kept(file);
            return new AccessToken(new Secret(kept != null ? kept : make(file, random)));
        } catch (IOException e) {
            throw new ConfigException("The token of the page cannot be kept in " + file + ": " + e
                    + ". Check its rights, or set http.token.");
        }
    }

    private static @Nullable String kept(Path file) throws IOException {
        if (!Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)
                || !Files.getPosixFilePermissions(file).equals(OWNER_ONLY)) {
            return null;
        }
        String text = Files.readString(file).strip();
        return MADE.matcher(text).matches() ? text : null;
    }

    private static String make(Path file, SecureRandom random) throws IOException {
        byte[] bytes = new byte[BYTES];
        random.nextBytes(bytes);
        String token = HexFormat.of().formatHex(bytes);
        Files.deleteIfExists(file);
        Files.createFile(file, PosixFilePermissions.asFileAttribute(OWNER_ONLY));
        Files.writeString(file, token + "\n");
        return token;
    }

    /**
     * Takes as long for any wrong one, whatever it begins with.
     *
     * @param authorization the header, {@code Bearer TOKEN}; null: there is none
     */
    boolean isIn(@Nullable String authorization) {
        return authorization != null
                && authorization.startsWith(BEARER)
                && MessageDigest.isEqual(digest, digest(authorization.substring(BEARER.length())));
    }

    private static byte[] digest(String token) {
        try {
            return MessageDigest.getInstance("SHA-256").digest(token.getBytes(StandardCharsets.UTF_8));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }
}
