package dev.oncebox;

import java.io.StringWriter;
import org.apache.logging.log4j.Level;
import org.apache.logging.log4j.LogManager;
import org.apache.logging.log4j.core.LoggerContext;
import org.apache.logging.log4j.core.appender.WriterAppender;
import org.apache.logging.log4j.core.layout.PatternLayout;

/** What the product logs in this process while something runs. */
public final class Logged {

    private Logged() {}

    public static String during(Runnable run) {
        var said = new StringWriter();
        LoggerContext context = (LoggerContext) LogManager.getContext(false);
        WriterAppender appender = WriterAppender.createAppender(
                PatternLayout.newBuilder()
                        .withPattern("%level %msg%n%throwable")
                        .build(),
                null,
                said,
                "said",
                false,
                true);
        appender.start();
        context.getConfiguration().getRootLogger().addAppender(appender, Level.ALL, null);
        context.updateLoggers();
        try {
            run.run();
        } finally {
            context.getConfiguration().getRootLogger().removeAppender("said");
            context.updateLoggers();
        }
        return said.toString();
    }
}
